import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.urls import reverse

from bots.models import Act, Bot, Submission, User
from tests.builders import make_submission
from tests.tournaments.chosen import settle_all
from tests.tournaments.fields import bots, field_of_bots
from tests.tournaments.rows import claimed, entrant, ladder_match, played
from tournaments import brackets, ladders, lifecycle, seasons
from tournaments.models import Bracket, Match, Season, Worker

pytestmark = [pytest.mark.django_db, pytest.mark.db]

TOURNAMENTS = apps.get_app_config("tournaments")
MADE_HERE = (Bracket, Season)
PAGES = [model for model in TOURNAMENTS.get_models() if admin.site.is_registered(model)]


@pytest.fixture
def organiser(client):
    user = User.objects.create_superuser("organiser@example.org")
    client.force_login(user)
    return user


def page(model, pk=None):
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    return reverse(f"{name}_change", args=[pk]) if pk else reverse(f"{name}_changelist")


def act(client, name, *rows, reason="because", **beside):
    data = {"action": name, "_selected_action": [row.pk for row in rows], "reason": reason}
    data |= beside
    response = client.post(page(type(rows[0])), data, follow=True)
    assert response.status_code == 200
    for row in rows:
        row.refresh_from_db()
    return [str(message) for message in response.context["messages"]]


@pytest.mark.parametrize("model", PAGES)
def test_every_page_opens_and_nothing_can_be_edited(client, organiser, ladder, worker, model):
    played(ladder, [entrant() for _ in range(3)])
    assert client.get(page(model)).status_code == 200
    row = model.objects.first()
    if row is not None:
        opened = client.get(page(model, row.pk))
        assert opened.status_code == 200
        assert b'name="_save"' not in opened.content
        assert client.post(page(model, row.pk), {}).status_code == 403
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_add"
    assert client.get(reverse(name)).status_code == (200 if model in MADE_HERE else 403)


def test_the_deal_of_a_match_that_goes_on_is_shown_to_nobody(client, organiser, ladder, worker):
    bots = [entrant() for _ in range(3)]
    running = claimed(ladder_match(ladder, bots)).match
    over = played(ladder, bots)
    assert running.seed not in client.get(page(Match, running.pk)).content.decode()
    assert over.seed in client.get(page(Match, over.pk)).content.decode()


def test_voiding_needs_a_reason_and_is_logged(client, organiser, ladder):
    match = ladder_match(ladder, [entrant() for _ in range(3)])
    assert "Give a reason" in act(client, "void", match, reason=" ")[0]
    assert match.state == "queued"
    assert act(client, "void", match) == ["Voided: 1"]
    assert (match.state, match.void_reason) == ("void", "because")
    logged = Act.objects.get()
    assert (logged.user, logged.verb, logged.reason) == (organiser, "void", "because")


def test_a_running_match_is_queued_again_and_a_finished_one_is_not(
    client, organiser, ladder, worker
):
    bots = [entrant() for _ in range(3)]
    running, over = claimed(ladder_match(ladder, bots)).match, played(ladder, bots)
    said = act(client, "requeue", running, over)
    assert (running.state, running.attempt, over.state) == ("queued", 2, "finished")
    assert any("its deal is public" in line for line in said)
    assert said[-1] == "Queued again: 1"


def test_a_worker_is_paused_and_resumed(client, organiser, worker):
    act(client, "pause", worker)
    assert (worker.paused, worker.pause_reason) == (True, "because")
    act(client, "resume", worker)
    assert not Worker.objects.get().paused


def test_a_version_is_suspended_reinstated_and_activated(client, organiser, ladder):
    one = entrant()
    act(client, "suspend", one)
    assert (one.state, one.reason) == ("suspended", "because")
    assert not ladders.table(ladder).exists()
    said = act(client, "activate", one)
    assert any("only a qualified version can be activated" in line for line in said)
    act(client, "reinstate", one)
    act(client, "activate", one)
    assert Bot.objects.get(pk=one.bot_id).active == one
    assert ladders.table(ladder).count() == 1
    verbs = list(Act.objects.order_by("id").values_list("verb", "user"))
    assert verbs == [(v, organiser.pk) for v in ("suspend", "reinstate", "activate")]


def test_staff_who_may_only_look_cannot_act(client, ladder):
    user = User.objects.create_user("helper@example.org")
    user.is_staff = True
    user.save()
    user.user_permissions.add(
        *Permission.objects.filter(codename__in=["view_match", "view_submission"])
    )
    client.force_login(user)
    match = ladder_match(ladder, [entrant() for _ in range(3)])
    act(client, "void", match)
    assert match.state == "queued"
    assert not Act.objects.exists()


def test_the_log_and_package_of_a_version_are_not_shown_to_staff(client, organiser):
    submission = make_submission()
    Submission.objects.update(log="secret log")
    shown = client.get(page(Submission, submission.pk)).content.decode()
    assert "secret log" not in shown
    assert submission.package.name not in shown
    assert "Qualified" in shown


def test_brackets_are_started_paused_resumed_and_entries_withdrawn(client, organiser):
    bracket = brackets.create_bracket(
        slug="cup",
        title="The Cup",
        game="deca-slayer",
        format="swiss",
        rules={"rounds": 1, "table_size": 3},
        organiser=organiser,
    )
    assert "needs at least 3" in act(client, "start", bracket)[0]
    for submission in (entrant() for _ in range(3)):
        brackets.enter(bracket=bracket, bot=submission.bot, user=None)
    assert act(client, "start", bracket) == ["Started: 1"]
    assert act(client, "pause", bracket) == ["Paused: 1"]
    assert (bracket.state, bracket.pause_reason) == ("paused", "because")
    assert act(client, "resume", bracket) == ["Resumed: 1"]
    entry = bracket.entries.first()
    assert act(client, "withdraw", entry) == ["Withdrawn: 1"]
    assert entry.withdrawn_reason == "because"
    logged = Act.objects.exclude(verb="create").values_list("verb", "reason")
    assert set(logged) == {(verb, "because") for verb in ("start", "pause", "resume", "withdraw")}


def test_tables_are_voided_rounds_extended_and_entries_disqualified(client, organiser):
    bracket, strength = field_of_bots(4, format="swiss", rules={"rounds": 3, "table_size": 2})
    assert act(client, "start", bracket) == ["Started: 1"]
    round_ = bracket.stages.get().rounds.get()
    assert "give a deadline with its zone" in act(client, "extend", round_, deadline="soon")[0]
    assert act(client, "extend", round_, deadline="2099-01-31T18:00:00Z") == ["Extended: 1"]
    assert round_.deadline.year == 2099
    settle_all(strength)
    lifecycle.advance()
    table = round_.tables.first()
    assert act(client, "void", table) == ["Voided: 1"]
    assert table.left_out
    entry = bracket.entries.first()
    assert act(client, "disqualify", entry) == ["Disqualified: 1"]
    assert entry.disqualified
    assert "has left already" in act(client, "disqualify", entry)[0]
    logged = Act.objects.filter(target__endswith="bracket cup", user=organiser)
    assert {"start", "extend", "void", "disqualify"} <= set(logged.values_list("verb", flat=True))


def test_seasons_are_started_postponed_and_left(client, organiser):
    rules = {"division_size": 3, "match_days": 2, "table_size": 2, "min_size": 2, "deals": 1}
    season = seasons.create_season(
        slug="league", title="League", game="kunlun", rules=rules, organiser=None
    )
    assert "needs at least 2" in act(client, "start", season)[0]
    for bot in bots(4):
        seasons.enter_season(season=season, bot=bot, user=None)
    assert act(client, "start", season) == ["Started: 1"]
    day = season.match_days.get(number=2)
    assert act(client, "postpone", day, deadline="2099-01-31T18:00:00Z") == ["Postponed: 1"]
    assert day.deadline.year == 2099
    one, two = season.entries.all()[:2]
    assert act(client, "withdraw", one) == ["Withdrawn: 1"]
    assert act(client, "disqualify", two) == ["Disqualified: 1"]
    logged = Act.objects.filter(target__endswith="season league", user=organiser)
    verbs = list(logged.order_by("id").values_list("verb", flat=True))
    assert verbs == ["start", "postpone", "withdraw", "disqualify"]


def test_a_draft_is_reseeded_and_rules_change(client, organiser):
    bracket, _ = field_of_bots(3, format="swiss", rules={"rounds": 2, "table_size": 2})
    names = [f"{e.bot.player.handle}/{e.bot.name}" for e in bracket.entries.order_by("id")]
    assert "has not entered cup" in act(client, "reseed", bracket, order="no/such")[0]
    assert "must name each of the 3 entries" in act(client, "reseed", bracket, order=names[0])[0]
    assert act(client, "reseed", bracket, order=", ".join(names[::-1])) == ["Reseeded: 1"]
    assert list(bracket.entries.order_by("id").values_list("seeding", flat=True)) == [3, 2, 1]
    stage = bracket.stages.get()
    assert "as a JSON object" in act(client, "change_rules", stage, rules="rounds=3")[0]
    assert act(client, "change_rules", stage, rules='{"rounds": 3}') == ["Changed: 1"]
    assert stage.rules["rounds"] == 3


def test_only_a_finished_season_is_rolled_over(client, organiser):
    rules = {"division_size": 3, "match_days": 2, "table_size": 2, "min_size": 2, "deals": 1}
    season = seasons.create_season(
        slug="league", title="League", game="kunlun", rules=rules, organiser=None
    )
    told = {"slug": "league-2", "title": "League 2"}
    assert "the next season starts from its end" in act(client, "roll_over", season, **told)[0]
    Season.objects.update(state="finished")
    assert act(client, "roll_over", season, **told) == ["Rolled over: 1"]
    assert Season.objects.get(slug="league-2").previous == season
    assert Act.objects.get(verb="roll-over", target="season league").reason == "because"
