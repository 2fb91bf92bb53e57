import pytest

from bots import submissions
from tests.builders import make_bot, make_submission
from tests.playing import at_random, eager, passing, play_out
from tests.tournaments.conftest import make_worker
from tournaments import lifecycle
from tournaments.models import Bracket, Match

pytestmark = pytest.mark.db

CUP = {
    "slug": "cup",
    "title": "The Cup",
    "game": "deca-slayer",
    "format": "swiss",
    "rules": {"rounds": 1, "table_size": 3},
}


@pytest.fixture(autouse=True)
def _files(tmp_path, settings):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }


def test_a_bracket_from_its_making_to_its_standings(caller, visitor):
    organiser = caller("organise", staff=True)
    made = organiser.api.post("/api/v1/brackets/", CUP)
    assert made.status_code == 201, made.content
    assert made.json()["stages"][0]["rules"]["min_size"] == 3
    for _ in range(3):
        owner = caller("submit")
        submission = make_submission(make_bot(owner.player))
        submissions.activate(submission, user=None)
        entered = owner.api.post("/api/v1/brackets/cup/entries/", {"bot": submission.bot_id})
        assert entered.status_code == 201, entered.content
        assert entered.json()["version"] == 1
    assert len(visitor.get("/api/v1/brackets/cup/entries/").json()) == 3

    assert organiser.api.post("/api/v1/brackets/cup/start/").json()["state"] == "running"
    [match] = Match.objects.all()
    play_out(match, make_worker("one@here"), [at_random, eager, passing])
    lifecycle.advance()

    assert visitor.get("/api/v1/brackets/cup/").json()["state"] == "finished"
    [round_] = visitor.get("/api/v1/brackets/cup/rounds/").json()
    assert len(round_["draw_seed"]) == 64
    [table] = round_["tables"]
    assert table["matches"] == [match.pk]
    assert sum(seat["points"] for seat in table["seats"]) == pytest.approx(1.5)
    standings = visitor.get("/api/v1/brackets/cup/standings/").json()
    assert [row["rank"] for row in standings] == [1, 2, 3]
    assert standings[0]["points"] > standings[2]["points"]
    assert next(iter(standings[0]["tie_breaks"])) == "head-to-head"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"options": {"guild": True}}, "options"),
        ({"game": "chess"}, "game"),
        ({"format": "ladder"}, "format"),
        ({"rules": {"rounds": 0}}, "rules.rounds"),
        ({"rules": "many"}, "rules"),
        ({"time_control": {"move_ms": 10_000_000}}, "time_control"),
    ],
)
def test_a_bad_bracket_is_a_problem_with_its_field(caller, changes, field):
    response = caller("organise", staff=True).api.post("/api/v1/brackets/", CUP | changes)
    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == field
    assert not Bracket.objects.exists()


def test_only_owners_enter_and_withdraw_their_bots(caller):
    caller("organise", staff=True).api.post("/api/v1/brackets/", CUP)
    owner, stranger = caller("submit"), caller("submit")
    submission = make_submission(make_bot(owner.player))
    submissions.activate(submission, user=None)
    bot = {"bot": submission.bot_id}
    assert stranger.api.post("/api/v1/brackets/cup/entries/", bot).status_code == 403
    assert stranger.api.post("/api/v1/brackets/cup/start/").status_code == 403
    assert owner.api.post("/api/v1/brackets/cup/entries/", {"bot": 0}).status_code == 400
    entry = owner.api.post("/api/v1/brackets/cup/entries/", bot).json()["id"]
    assert owner.api.post("/api/v1/brackets/cup/entries/", bot).status_code == 409
    address = f"/api/v1/brackets/cup/entries/{entry}/withdraw/"
    assert stranger.api.post(address, {"reason": "spite"}).status_code == 403
    assert owner.api.post(address, {}).status_code == 400
    assert owner.api.post(address, {"reason": "holiday"}).status_code == 204
    assert owner.api.post(address, {"reason": "holiday"}).status_code == 404
