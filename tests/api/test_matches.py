"""Who sees what: until a match is over nobody sees its seed, and notes are their owner's always."""

import hashlib
import json

import pytest

from bots import submissions
from engine import replay
from engine.verify import verify
from tests.builders import make_bot, make_submission
from tests.playing import at_random, eager, passing, play_out
from tests.tournaments.conftest import make_worker
from tournaments import dispatch, entrants, ladders
from tournaments.models import Match

pytestmark = pytest.mark.db


@pytest.fixture(autouse=True)
def _files(tmp_path, settings):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }


@pytest.fixture
def match(caller):
    """A queued ladder match; its first contestant belongs to `match.owner`."""
    owner = caller("read")
    bots = [make_bot(owner.player), make_bot(), make_bot()]
    ladder = ladders.open_ladder("deca-slayer")
    for bot in bots:
        entrants.activate(submission=make_submission(bot), user=None)
        bot.refresh_from_db()
    match = dispatch.make_match(
        kind="ladder",
        game="deca-slayer",
        submissions=[bot.active for bot in bots],
        rated=True,
        ladder=ladder,
    )
    match.owner = owner
    return match


def everything_about(match: Match) -> list[str]:
    base = f"/api/v1/matches/{match.pk}/"
    plays = [f"{base}plays/{r}/{what}/" for r in range(3) for what in ("replay", "record")]
    logs = [f"{base}plays/{r}/seats/{s}/log/" for r in range(3) for s in range(3)]
    return [base, "/api/v1/matches/", "/api/v1/ledger/", *plays, *logs]


def body(response) -> bytes:
    return b"".join(response) if response.streaming else response.content


@pytest.mark.parametrize("state", ["queued", "running"])
def test_while_a_match_runs_nobody_sees_its_seed_or_its_plays(caller, visitor, match, state):
    if state == "running":
        worker = make_worker("one@here")
        assert dispatch.claim(match_id=match.pk, attempt=1, worker=worker)
    staff = caller("admin", staff=True)
    other = caller("admin")
    for who in (visitor, match.owner.api, other.api, staff.api):
        for address in everything_about(match):
            response = who.get(address)
            assert match.seed.encode() not in body(response), address
            if "/plays/" in address:
                assert response.status_code in (401, 403, 409), address
    shown = visitor.get(f"/api/v1/matches/{match.pk}/").json()
    assert shown["state"] == state
    assert shown["seed"] is None
    assert shown["commitment"] == hashlib.sha256(bytes.fromhex(match.seed)).hexdigest()
    assert shown["plays"] == []


def test_afterwards_the_deal_is_public_and_can_be_verified(visitor, match):
    play_out(match, make_worker("one@here"))
    shown = visitor.get(f"/api/v1/matches/{match.pk}/").json()
    assert shown["state"] == "finished"
    assert hashlib.sha256(bytes.fromhex(shown["seed"])).hexdigest() == shown["commitment"]
    assert [play["rotation"] for play in shown["plays"]] == [0, 1, 2]
    assert [play["seats"] for play in shown["plays"]] == [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    assert sum(c["place_points"] for c in shown["contestants"]) == pytest.approx(4.5)
    for play in shown["plays"]:
        base = f"/api/v1/matches/{match.pk}/plays/{play['rotation']}/"
        file = body(visitor.get(base + "replay/"))
        record = replay.loads(file)
        verify(record)
        assert visitor.get(base + "record/").json() == json.loads(json.dumps(record.to_dict()))


def test_notes_and_stderr_are_for_their_owner_alone(caller, visitor, match):
    play_out(match, make_worker("one@here"))
    base = f"/api/v1/matches/{match.pk}/plays/0/seats/"
    own = match.owner.api.get(base + "0/log/")
    assert (own.status_code, own.json()["seat"]) == (200, 0)
    assert match.owner.api.get(base + "1/log/").status_code == 403
    assert match.owner.api.get(base + "9/log/").status_code == 404
    staff = caller("admin", staff=True)
    assert staff.api.get(base + "0/log/").status_code == 403
    assert caller("read").api.get(base + "0/log/").status_code == 403
    assert visitor.get(base + "0/log/").status_code == 401


def test_ratings_and_ledger_tell_the_same(visitor, match):
    play_out(match, make_worker("one@here"), [at_random, eager, passing])
    slug = match.ladder.slug
    table = visitor.get(f"/api/v1/ladders/{slug}/ratings/").json()["results"]
    assert [row["rank"] for row in table] == [1, 2, 3]
    assert all(row["rank_best"] <= row["rank"] <= row["rank_worst"] for row in table)
    for row in table:
        assert row["ordinal"] == pytest.approx(row["mu"] - 3 * row["sigma"])
        assert (row["low"], row["high"]) == (
            pytest.approx(row["mu"] - 2 * row["sigma"]),
            pytest.approx(row["mu"] + 2 * row["sigma"]),
        )
        pk = row["submission"]["id"]
        changes = visitor.get(f"/api/v1/ledger/?ladder={slug}&submission={pk}").json()["results"]
        assert [change["kind"] for change in changes] == ["match", "enter"]
        assert (changes[0]["mu"], changes[0]["sigma"]) == (row["mu"], row["sigma"])
        assert changes[0]["match"] == match.pk
    assert visitor.get(f"/api/v1/ladders/{slug}/").json()["active"] == 3
    one = visitor.get(f"/api/v1/ladders/{slug}/ratings/?player={match.owner.player.handle}")
    assert len(one.json()["results"]) == 1


def test_matches_are_found_by_bot_player_and_state(visitor, match):
    submission = match.contestants.first().submission

    def found(query):
        return [m["id"] for m in visitor.get(f"/api/v1/matches/?{query}").json()["results"]]

    assert found(f"bot={submission.bot_id}") == [match.pk]
    assert found(f"player={submission.bot.player.handle}&state=queued") == [match.pk]
    assert found("state=finished") == []
    assert found(f"ladder={match.ladder.slug}") == [match.pk]
    assert visitor.get("/api/v1/matches/?state=lost").status_code == 400


def test_workers_are_for_organisers(caller, visitor):
    make_worker("one@here")
    assert visitor.get("/api/v1/workers/").status_code == 401
    assert caller("admin").api.get("/api/v1/workers/").status_code == 403
    [row] = caller("organise", staff=True).api.get("/api/v1/workers/").json()["results"]
    assert (row["name"], row["tier"]) == ("one@here", "bubblewrap")


def test_a_deactivated_bot_leaves_the_table(match, visitor):
    bot = match.contestants.first().submission.bot
    entrants.deactivate(bot=bot, user=None)
    table = visitor.get(f"/api/v1/ladders/{match.ladder.slug}/ratings/").json()["results"]
    assert bot.pk not in [row["submission"]["bot_id"] for row in table]
    assert submissions.Bot.objects.get(pk=bot.pk).active is None


def test_a_test_match_needs_the_scope_play_and_a_version_of_ones_own(caller):
    author, submitter = caller("play"), caller("submit")
    version = make_submission(make_bot(author.player, name="wolf"))
    name = f"{author.player.handle}/wolf/v1"
    asked = {"submission": version.pk, "opponents": [name, name], "rotations": 1}
    made = author.api.post("/api/v1/matches/", asked)
    assert made.status_code == 201, made.content
    assert made.json()["kind"] == "test"
    assert made.json()["rated"] is False
    assert made.json()["seed"] is None
    refused = submitter.api.post("/api/v1/matches/", asked)
    assert refused.status_code == 403
    assert "this needs 'play'" in refused.json()["detail"]
    stranger = caller("play")
    assert stranger.api.post("/api/v1/matches/", asked).status_code == 403
    wrong = author.api.post("/api/v1/matches/", {**asked, "opponents": ["no/such", name]})
    assert wrong.status_code == 400
    assert wrong.json()["errors"][0]["field"] == "opponents"
    assert Match.objects.filter(kind="test").count() == 1
