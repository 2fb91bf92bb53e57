from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from bots.models import Bot, Membership, Player, User
from tests.tournaments.conftest import make_worker
from tests.tournaments.rows import entrant, ladder_match, played, rated
from tests.tournaments.threads import at_once
from tournaments import entrants, ladders, scheduler, workers
from tournaments.models import Match, Rating, Worker

pytestmark = [pytest.mark.django_db, pytest.mark.db]


@pytest.fixture
def bots(ladder):
    return [entrant() for _ in range(8)]


def queued():
    return Match.objects.filter(state="queued")


def test_the_queue_is_two_rounds_deep_for_the_workers_that_live(bots):
    make_worker("one", slots=2)
    make_worker("two", slots=3)
    assert scheduler.schedule() == 10
    assert queued().count() == 10
    assert scheduler.schedule() == 0
    queued().first().delete()
    assert scheduler.schedule() == 1


def test_workers_that_take_no_work_do_not_count(bots):
    make_worker("one", slots=2)
    make_worker("paused", slots=50)
    workers.pause(worker=Worker.objects.get(name="paused"), reason="x", user=None)
    make_worker("gone", slots=50)
    Worker.objects.filter(name="gone").update(seen_at=timezone.now() - timedelta(seconds=61))
    make_worker("bare", slots=50, tier="none")
    assert scheduler.schedule() == 4


def test_a_worker_that_starts_finds_work(bots):
    assert scheduler.schedule() == scheduler.WITHOUT_WORKERS == 2


def test_quick_matches_deepen_the_queue(ladder, bots):
    make_worker("one", slots=1)
    for _ in range(7):
        rated(ladder, bots[:3], [1, 2, 3])
    assert scheduler.schedule() == 7


def test_ladder_matches_are_the_ladders(ladder, bots):
    make_worker("one", slots=20)
    scheduler.schedule()
    matches = list(queued())
    assert {match.kind for match in matches} == {"ladder"}
    assert {match.ladder for match in matches} == {ladder}
    assert all(match.rated for match in matches)
    assert {match.players for match in matches} == {3, 4, 5, 6}
    assert {match.rotations == match.players for match in matches} == {True}
    assert {match.priority for match in matches} == {0}


def test_waiting_bracket_matches_do_not_starve_the_ladder(ladder, bots):
    make_worker("one", slots=1)
    for _ in range(10):
        ladder_match(None, bots[:3], kind="bracket")
    assert scheduler.schedule() == 2


def test_nothing_is_made_while_too_few_are_active(ladder):
    assert scheduler.schedule() == 0
    one, two = entrant(), entrant()
    assert scheduler.schedule() == 0
    entrant()
    assert scheduler.schedule() == 2
    entrants.deactivate(bot=one.bot, user=None)
    queued().delete()
    assert scheduler.schedule() == 0
    assert two.state == "qualified"


def test_bots_that_belong_together_never_meet(ladder):
    user = User.objects.create_user("team@example.org")
    ours = []
    for handle in ("ours", "ours-too"):
        player = Player.objects.create(handle=handle, name=handle)
        Membership.objects.create(player=player, user=user)
        ours += [entrant(player).pk, entrant(player).pk]
    for _ in range(5):
        entrant()
    make_worker("one", slots=15)
    assert scheduler.schedule() == 30
    for match in queued():
        seats = set(match.contestants.values_list("submission", flat=True))
        assert len(seats & set(ours)) <= 1


def test_the_house_fills_tables(ladder):
    house = Player.objects.create(handle="house", name="The house", house=True)
    for _ in range(3):
        entrant(house)
    one = entrant()
    assert scheduler.schedule() == 2
    for match in queued():
        assert match.contestants.filter(submission=one).exists()
        assert match.rated


def test_only_languages_that_somebody_can_run_are_drawn(ladder):
    for _ in range(3):
        entrant()
    java = entrant()
    type(java).objects.filter(pk=java.pk).update(language="java")
    make_worker("one", slots=4)
    assert scheduler.schedule() == 8
    assert {tuple(match.languages) for match in queued()} == {("python",)}


def test_a_suspended_version_is_not_drawn(bots):
    entrants.suspend(submission=bots[0], reason="x", user=None)
    make_worker("one", slots=10)
    scheduler.schedule()
    assert not queued().filter(contestants__submission=bots[0]).exists()


def test_who_waits_longest_goes_first(ladder, bots):
    long_ago = timezone.now() - timedelta(hours=50)
    now = timezone.now()
    Rating.objects.update(played_at=now, matches=100)  # none is new any more
    late = bots[5]
    Bot.objects.filter(pk=late.bot_id).update(active_since=long_ago)
    Rating.objects.filter(submission=late).update(played_at=now - timedelta(hours=40))
    assert ladders.waiting(ladder).longest_s == pytest.approx(40 * 3600, abs=20)
    scheduler.schedule()
    assert queued().order_by("id").first().contestants.filter(submission=late).exists()
    # It is in a match now, so it does not wait any more.
    assert ladders.waiting(ladder).longest_s < 60


def test_the_waiting_bound(ladder, worker, bots):
    # 3 × (8 active ÷ 1 seat an hour), while there was none; then 8 bots and 12 seats: 2 hours.
    assert ladders.waiting(ladder).bound_s == 3 * 8 * 3600
    for _ in range(4):
        played(ladder, bots[:3])
    old = played(ladder, bots[:3])
    Match.objects.filter(pk=old.pk).update(started_at=timezone.now() - timedelta(hours=2))
    waiting = ladders.waiting(ladder)
    assert (waiting.active, waiting.seats_per_hour) == (8, 12)
    assert waiting.bound_s == 2 * 3600


@pytest.mark.django_db(transaction=True)
def test_two_schedulers_at_once_do_the_work_once(ladder):
    for _ in range(8):
        entrant()
    make_worker("one", slots=5)
    assert sum(at_once(*[scheduler.schedule] * 4)) == 10
    assert queued().count() == 10


@pytest.mark.django_db(transaction=True)
def test_a_scheduler_does_not_wait_for_another(ladder):
    for _ in range(3):
        entrant()
    with transaction.atomic():
        assert scheduler.schedule() == 2
        Match.objects.all().delete()
        assert at_once(scheduler.schedule) == [0]  # the lock is held here
