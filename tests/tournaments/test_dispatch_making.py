import base64
import hashlib
import json

import pytest
import redis

from bots.faults import UserFault
from bots.models import Membership, Player, User
from engine.clock import TimeControl
from tests.tournaments.rows import entrant, ladder_match
from tournaments import dispatch
from tournaments.models import Match

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def test_a_match_is_a_row_before_it_is_a_message(
    ladder, broker, redis_url, django_capture_on_commit_callbacks
):
    bots = [entrant() for _ in range(3)]
    with django_capture_on_commit_callbacks() as after_commit:
        match = ladder_match(ladder, bots)
    assert broker() == 0
    match = Match.objects.get(pk=match.pk)
    assert (match.state, match.players, match.rotations, match.attempt) == ("queued", 3, 3, 1)
    assert [each.submission for each in match.contestants.all()] == bots
    assert match.commitment == hashlib.sha256(bytes.fromhex(match.seed)).hexdigest()
    assert match.options == {"guilds": False, "princesses": False}
    assert match.languages == ["python"]

    for callback in after_commit:
        callback()
    assert broker() == 1
    with redis.Redis.from_url(redis_url) as client:
        [name] = client.scan_iter("match*")
        message = json.loads(client.lindex(name, 0))
    arguments, keywords, _ = json.loads(base64.b64decode(message["body"]))
    assert (arguments, keywords) == ([match.pk, 1], {})
    assert match.seed not in json.dumps(message)


def test_seeds_differ(ladder):
    bots = [entrant() for _ in range(3)]
    assert len({ladder_match(ladder, bots).seed for _ in range(5)}) == 5


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"game": "chess"}, "unknown game"),
        ({"edition": "99"}, "no edition"),
        ({"options": {"dragons": True}}, "unknown option"),
        ({"options": {"guilds": 1}}, "guilds"),
        ({"time_control": TimeControl(5000, 60_000, 5000)}, "too long"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(ladder, changes, says):
    bots = [entrant() for _ in range(3)]
    with pytest.raises(UserFault, match=says):
        ladder_match(ladder, bots, **changes)
    assert not Match.objects.exists()


@pytest.mark.parametrize("count", [0, 2, 7])
def test_the_number_of_players_is_the_games(ladder, count):
    with pytest.raises(UserFault, match="3 to 6 players"):
        ladder_match(ladder, [entrant() for _ in range(count)])


def test_a_bot_of_another_game_is_refused(ladder):
    bots = [entrant() for _ in range(3)]
    bots[1].bot.game = "kunlun"
    with pytest.raises(UserFault, match="plays kunlun, not deca-slayer"):
        ladder_match(ladder, bots)


def test_a_long_time_control_fits_when_fewer_rotations_are_played(ladder):
    bots = [entrant() for _ in range(6)]
    # 225 decisions or so (the game's page): 6 plays of them with 3 × 1 s + 1 s each are 1.5 hours
    # without the banks, which add 6 × 6 × 3 × 35 s, over an hour.
    time = TimeControl(start_ms=5000, move_ms=1000, bank_ms=30_000)
    with pytest.raises(UserFault, match="fewer rotations"):
        ladder_match(ladder, bots, time_control=time)
    match = ladder_match(ladder, bots, time_control=time, rotations=1)
    assert match.rotations == 1


def test_the_default_time_control_fits_every_table(ladder):
    bots = [entrant() for _ in range(6)]
    for size in (3, 4, 5, 6):
        assert ladder_match(ladder, bots[:size], options={"guilds": True}).rotations == size


def rated(ladder, bots, **changes):
    return ladder_match(ladder, bots, **changes).rated


def test_a_match_is_rated_under_the_ladders_conditions_only(ladder):
    bots = [entrant() for _ in range(3)]
    assert rated(ladder, bots)
    assert rated(None, bots, kind="bracket")
    assert not rated(None, bots, kind="bracket", options={"guilds": True})
    assert not rated(None, bots, kind="bracket", time_control=TimeControl(5000, 200, 5000))
    assert not rated(None, bots, kind="bracket", rated=False)
    assert not rated(None, bots, kind="qualification")
    assert not rated(None, bots, kind="test")


def test_bots_that_belong_together_are_never_rated(ladder):
    ours = Player.objects.create(handle="ours", name="Ours")
    team = Player.objects.create(handle="team", name="Team")
    user = User.objects.create_user("one@example.org")
    stranger = entrant()
    assert not rated(ladder, [entrant(ours), entrant(ours), stranger])
    one, two = entrant(ours), entrant(team)
    assert rated(ladder, [one, two, stranger])
    Membership.objects.create(user=user, player=ours)
    assert rated(ladder, [one, two, stranger])
    Membership.objects.create(user=user, player=team)
    assert not rated(ladder, [one, two, stranger])
    assert not rated(ladder, [one, one, stranger])


def test_the_houses_bots_may_meet(ladder):
    house = Player.objects.create(handle="house", name="The house", house=True)
    assert rated(ladder, [entrant(house), entrant(house), entrant()])


def test_lanes():
    kinds = Match.Kind
    order = [kinds.BRACKET, kinds.QUALIFICATION, kinds.TEST, kinds.LADDER]
    assert sorted(dispatch.PRIORITY, key=dispatch.PRIORITY.get, reverse=True) == order


def test_messages_of_a_higher_lane_are_taken_first(
    ladder, broker, redis_url, django_capture_on_commit_callbacks
):
    bots = [entrant() for _ in range(3)]
    with django_capture_on_commit_callbacks(execute=True):
        for kind in ("ladder", "test", "bracket", "qualification"):
            ladder_match(ladder, bots, kind=kind)
    with redis.Redis.from_url(redis_url) as client:
        lanes = {key.decode() for key in client.scan_iter("match*")}
    separator = "\x06\x16"
    assert lanes == {"match", f"match{separator}3", f"match{separator}6", f"match{separator}9"}
