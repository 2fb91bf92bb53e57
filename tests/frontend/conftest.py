import pytest
from django.test import Client

from tests.builders import make_bot, make_player, make_submission
from tests.playing import at_random, eager, passing, play_out
from tests.tournaments.conftest import make_worker
from tournaments import dispatch, entrants, ladders


@pytest.fixture(autouse=True)
def files(tmp_path, settings):
    """Private storage of one test's own."""
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path)},
        },
    }


@pytest.fixture
def person(db):
    """Make people who are logged in: `person()` gives (client, user, player)."""

    def make(*, staff: bool = False):
        user, player = make_player()
        user.is_staff = user.is_superuser = staff
        user.save()
        client = Client()
        client.force_login(user)
        return client, user, player

    return make


@pytest.fixture
def match(person):
    """A queued ladder match of three; the first bot belongs to `match.owner` (a client)."""
    client, _, player = person()
    ladder = ladders.open_ladder("deca-slayer")
    bots = [make_bot(player), make_bot(), make_bot()]
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
    match.owner = client
    match.bot = bots[0]
    return match


@pytest.fixture
def played(match):
    """The same match, finished."""
    return play_out(match, make_worker("one@here"), [at_random, eager, passing])
