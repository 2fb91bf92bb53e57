"""Every page answers, for everybody who may see it."""

import pytest
from django.core import mail
from django.test import Client

from bots import submissions
from bots.models import Bot, Submission, Token, User
from engine import games, match_file
from engine.contract import may_see
from engine.record import SeatLog
from frontend.views import replays
from tests.builders import make_bot, make_player, make_submission, package
from tests.tournaments.conftest import make_worker
from tournaments import archive, brackets, dispatch, lifecycle
from tournaments.models import Match, Play, Round

pytestmark = [pytest.mark.django_db, pytest.mark.db]

FORM = {"email": "ada@example.org", "password": "correct horse battery", "handle": "ada"}


def text(response) -> str:
    return response.content.decode()


def test_a_stranger_finds_a_replay_in_four_clicks(played):
    visitor = Client()
    home = text(visitor.get("/"))
    slug = played.ladder.slug
    assert f'href="/ladders/{slug}/"' in home
    ladder = text(visitor.get(f"/ladders/{slug}/"))
    assert f'href="/bots/{played.bot.pk}/"' in ladder
    bot = text(visitor.get(f"/bots/{played.bot.pk}/"))
    assert f'href="/matches/{played.pk}/"' in bot
    match = text(visitor.get(f"/matches/{played.pk}/"))
    assert f'href="/matches/{played.pk}/plays/0/"' in match
    assert "of Deca Slayer" in ladder
    assert visitor.get(f"/matches/{played.pk}/plays/0/").status_code == 200


@pytest.mark.parametrize("state", ["queued", "running"])
def test_while_a_match_runs_no_page_shows_its_seed_or_a_play(person, match, state):
    if state == "running":
        assert dispatch.claim(match_id=match.pk, attempt=1, worker=make_worker("one@here"))
    base = f"/matches/{match.pk}/"
    addresses = [base, "/matches/", "/", f"/bots/{match.bot.pk}/"]
    plays = [f"{base}plays/0/", f"{base}plays/0/file/", f"{base}plays/0/seats/0/"]
    for client in (Client(), match.owner, person()[0], person(staff=True)[0]):
        for address in addresses:
            response = client.get(address)
            assert response.status_code == 200
            assert match.seed not in text(response)
        for address in plays:
            assert client.get(address).status_code in (302, 404)
    assert match.commitment in text(Client().get(base))
    assert "its plays are shown when all of them are over" in text(Client().get(plays[0]))


def test_afterwards_the_seed_is_public_and_logs_are_their_owners(person, played):
    base = f"/matches/{played.pk}/"
    assert played.seed in text(Client().get(base))
    assert played.owner.get(f"{base}plays/0/seats/0/").status_code == 200
    assert played.owner.get(f"{base}plays/0/seats/1/").status_code == 403
    assert person(staff=True)[0].get(f"{base}plays/0/seats/0/").status_code == 403
    assert Client().get(f"{base}plays/0/seats/0/").status_code == 302
    assert played.owner.get(f"{base}plays/0/seats/9/").status_code == 404


def rewrite(match, *, log=None, replay=None):
    """Put another replay, or another log of seat 0, in the place of the first play's."""
    plays = list(match.plays.order_by("rotation"))
    replays = [archive.replay(play) for play in plays]
    logs = [[archive.log(play, seat) for seat in range(match.players)] for play in plays]
    replays[0], logs[0][0] = replay or replays[0], log or logs[0][0]
    with match.archive.storage.open(match.archive.name, "wb") as file:
        file.write(match_file.dumps(replays, logs))


def test_what_bots_write_is_shown_as_plain_text(played):
    evil = SeatLog(
        0, stderr=b"<script>alert(1)</script>\x1b[31m", notes=[(3, "<b>bold</b>")], exit_code=1
    )
    rewrite(played, log=evil)
    page = text(played.owner.get(f"/matches/{played.pk}/plays/0/seats/0/"))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[31m" in page
    assert "&lt;b&gt;bold" in page


def test_the_owner_sees_why_a_bot_failed_and_others_see_none_of_its_words(played):
    play = played.plays.get(rotation=0)
    play.failures = [{"seat": 0, "decision": 7, "reason": "killed", "message": "SIGSEGV ended it"}]
    play.save()
    log = SeatLog(
        0,
        asked=[(None, 900.0, 950.0), (3, 140.0, 150.0), (7, 12.5, 31.25)],
        sent=b'{"type":"decide"}',
        received=b"bananas\x1b[2J",
        stderr=b"Traceback: pears\n",
        signal=11,
        cpu_ms=1052.5,
        peak_memory_bytes=64 << 20,
    )
    rewrite(played, log=log)
    mine = text(played.owner.get(f"/matches/{played.pk}/plays/0/seats/0/"))
    for shown in (
        "Failed at decision 7: killed.",
        "SIGSEGV ended it",
        "signal 11 (SIGSEGV)",
        # 100 ms a move and a bank of 5,000, of which decision 3 took 40
        "decision 7: 12.50 ms of CPU of at most 5060 ms, 31.25 ms of wall time",
        "1052 ms",
        "64.0\xa0MB",
        "{&quot;type&quot;:&quot;decide&quot;}",
        r"bananas\x1b[2J",
        "Traceback: pears",
        "/docs/protocol/#when-a-bot-fails",
    ):
        assert shown in mine
    public = text(Client().get(f"/bots/{played.bot.pk}/"))
    assert "SIGSEGV ended it" in public
    assert "bananas" not in public
    assert "pears" not in public


@pytest.mark.parametrize("step", ["", "0", "7", "999999", "x", "-3"])
@pytest.mark.parametrize("seat", ["", "0", "2", "9"])
def test_every_step_of_a_replay_is_an_address(played, step, seat):
    address = f"/matches/{played.pk}/plays/1/?step={step}&seat={seat}"
    for headers in ({}, {"X-Part": "replay"}):
        response = Client().get(address, headers=headers)
        assert response.status_code == 200
        assert "Round" in text(response)


def test_every_step_is_the_state_that_its_actions_lead_to(played):
    play = Play.objects.get(match=played, rotation=1)
    watched = replays.watch(play.pk, play.play_hash)
    record, game = watched.record, games.get("deca-slayer")
    assert len(record.actions) > 2 * replays.EVERY
    state = game.new_initial_state(record.players, record.seed, record.options)
    before = 0
    for step in range(len(record.actions) + 1):
        shown = watched.state(step)
        assert shown.to_dict() == state.to_dict()
        news = replays._events(watched, shown, step, None)
        new = [event for event in state.events[before:] if may_see(event, None)]
        assert [each["kind"] for each in news] == [each["kind"].replace("_", " ") for each in new]
        before = len(state.events)
        if step < len(record.actions):
            seat, index = record.actions[step]
            state.apply_action(seat, game.actions[index])
    # Memory is bounded by the states that are kept, whichever steps are looked at.
    assert len(watched.kept) == 1 + len(record.actions) // replays.EVERY


def test_pages_that_name_no_icon_get_ours(client):
    response = client.get("/favicon.ico")
    assert response.status_code == 302
    assert response["Location"].startswith("/static/frontend/icon.")


def test_a_seats_view_shows_its_hand_and_no_other(played):
    base = f"/matches/{played.pk}/plays/0/?step=0"
    spectator = text(Client().get(base))
    own = text(Client().get(f"{base}&seat=1"))
    assert spectator.count('"back">hidden') == 12  # four dealt cards a seat, the first one known
    assert own.count('"back">hidden') == 8


def test_a_replay_that_cannot_be_read_says_so_and_offers_the_file(played):
    rewrite(played, replay=b"not a replay")
    response = Client().get(f"/matches/{played.pk}/plays/0/")
    assert response.status_code == 500
    assert "cannot be shown" in text(response)
    assert f"/matches/{played.pk}/plays/0/file/" in text(response)
    assert Client().get(f"/matches/{played.pk}/plays/0/file/").content == b"not a replay"


def test_a_match_whose_file_is_damaged_offers_none(played):
    with played.archive.storage.open(played.archive.name, "wb") as file:
        file.write(b"not a file of a match")
    response = Client().get(f"/matches/{played.pk}/plays/0/")
    assert response.status_code == 500
    assert "not the file of a match" in text(response)
    assert f"/matches/{played.pk}/plays/0/file/" not in text(response)


def test_signing_up_logs_in_and_errors_stand_beside_their_field():
    client = Client()
    page = text(client.post("/sign-up/", FORM | {"handle": "Not A Handle"}))
    assert "lower-case letters" in page
    assert 'value="ada@example.org"' in page  # what was typed is kept
    assert not User.objects.exists()
    assert client.post("/sign-up/", FORM).status_code == 302
    assert "ada@example.org" in text(client.get("/account/"))
    again = text(Client().post("/sign-up/", FORM | {"handle": "ada2"}))
    assert "has an account already" in again


def test_logging_in_out_and_a_wrong_password():
    client = Client()
    client.post("/sign-up/", FORM)
    client.post("/log-out/")
    assert client.get("/account/").status_code == 302
    wrong = client.post("/log-in/", {"username": FORM["email"], "password": "wrong"})
    assert "correct" in text(wrong)
    right = client.post("/log-in/", {"username": FORM["email"], "password": FORM["password"]})
    assert right.status_code == 302


def test_a_forgotten_password_is_reset_by_mail():
    client = Client()
    client.post("/sign-up/", FORM)
    client.post("/log-out/")
    assert client.post("/password-reset/", {"email": "ADA@example.org"}).status_code == 302
    [message] = mail.outbox
    link = next(line for line in message.body.splitlines() if line.startswith("http"))
    path = link.split("testserver", 1)[1]
    page = client.get(path, follow=True)
    new = {"new_password1": "another horse battery", "new_password2": "another horse battery"}
    done = client.post(page.redirect_chain[-1][0], new)
    assert done.status_code == 302
    assert client.login(username=FORM["email"], password="another horse battery")
    assert "used already or is too old" in text(client.get(path, follow=True))


def test_a_key_is_shown_once_and_can_be_revoked(person):
    client, user, _ = person()
    made = client.post("/account/", {"name": "laptop", "scopes": ["read"]})
    token = Token.objects.get(user=user)
    assert f"<code>{token.prefix}" in text(made)
    assert "no-store" in made["Cache-Control"]
    key = text(made).split("<code>")[1].split("</code>")[0]
    assert len(key) > 40
    assert key not in text(client.get("/account/"))
    other, _, _ = person()
    assert other.post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    client.post(f"/account/tokens/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.revoked_at
    assert "scopes" in text(client.post("/account/", {"name": "x"})).lower()


def test_from_a_new_bot_to_an_active_version(person):
    client, _, player = person()
    made = client.post(
        "/bots/new/", {"player": player.handle, "game": "deca-slayer", "name": "wolf"}
    )
    bot = Bot.objects.get(player=player)
    assert made["Location"] == f"/bots/{bot.pk}/upload/"
    with_file = {"package": _file(package()), "activate": "on"}
    sent = client.post(f"/bots/{bot.pk}/upload/", with_file)
    submission = Submission.objects.get(bot=bot)
    assert sent["Location"] == f"/submissions/{submission.pk}/"
    assert submission.activate
    page = text(client.get(f"/submissions/{submission.pk}/"))
    assert "waits for its check" in page
    assert "<html" not in text(
        client.get(f"/submissions/{submission.pk}/", headers={"X-Part": "check"})
    )
    submissions.start_check(submission)
    submissions.qualify(submission, log="all plays ended")
    assert "all plays ended" in text(client.get(f"/submissions/{submission.pk}/"))
    client.post(f"/submissions/{submission.pk}/activate/")
    bot.refresh_from_db()
    assert bot.active == submission
    client.post(f"/bots/{bot.pk}/deactivate/")
    bot.refresh_from_db()
    assert bot.active is None


def _file(data: bytes, name: str = "bot.zip"):
    from django.core.files.uploadedfile import SimpleUploadedFile

    return SimpleUploadedFile(name, data)


def test_a_refused_package_says_why_beside_the_field(person):
    client, _, player = person()
    bot = make_bot(player)
    page = text(client.post(f"/bots/{bot.pk}/upload/", {"package": _file(b"no zip")}))
    assert "The package was refused" in page
    assert not Submission.objects.exists()


def test_others_bots_are_out_of_reach(person):
    client, _, _ = person()
    submission = make_submission()
    assert client.get(f"/bots/{submission.bot_id}/upload/").status_code == 403
    assert client.post(f"/submissions/{submission.pk}/activate/").status_code == 403
    assert client.post(f"/bots/{submission.bot_id}/deactivate/").status_code == 403
    submission = make_submission(qualified=False)
    submissions.start_check(submission)
    submissions.reject(submission, reason="It crashed.", log="the secret")
    page = text(client.get(f"/submissions/{submission.pk}/"))
    assert "rejected" in page
    assert "the secret" not in page
    assert "It crashed" not in page


def test_a_bracket_shows_rules_draw_and_standings(played):
    bracket = brackets.create_bracket(
        slug="cup",
        title="The <Cup>",
        game="deca-slayer",
        format="swiss",
        rules={"rounds": 1, "table_size": 3},
        organiser=None,
    )
    assert "Entries" in text(Client().get("/brackets/cup/"))
    for contestant in played.contestants.all():
        brackets.enter(bracket=bracket, bot=contestant.submission.bot, user=None)
    lifecycle.start(bracket=bracket, user=None)
    page = text(Client().get("/brackets/cup/"))
    assert "The &lt;Cup&gt;" in page
    assert "Standings, provisional" in page
    assert Round.objects.get().draw_seed in page
    assert "The &lt;Cup&gt;" in text(Client().get("/brackets/"))


def test_the_workers_page_is_for_organisers(person):
    make_worker("one@here")
    assert Client().get("/workers/").status_code == 302
    assert person()[0].get("/workers/").status_code == 403
    assert "one@here" in text(person(staff=True)[0].get("/workers/"))


def test_notices_are_counted_and_read(person):
    from bots.accounts import notify

    client, _, player = person()
    notify(player, kind="qualified", text="wolf v1 qualified")
    assert 'title="unread">1<' in text(client.get("/"))
    assert "wolf v1 qualified" in text(client.get("/notices/"))
    assert 'title="unread"' not in text(client.get("/"))


def test_a_404_and_a_403_help(person):
    page = Client().get("/nowhere/")
    assert page.status_code == 404
    assert "/nowhere/" in text(page)
    submission = make_submission()
    page = person()[0].get(f"/bots/{submission.bot_id}/upload/")
    assert submission.bot.player.handle in text(page)


def test_the_rules_of_a_game_are_served():
    page = text(Client().get("/docs/games/deca-slayer/"))
    assert "<table>" in page
    assert "Guild Master" in page
    assert Client().get("/docs/../settings/").status_code == 404


def test_every_answer_keeps_scripts_and_frames_to_this_site(db):
    for address in ("/", "/docs/games/deca-slayer/", "/api/v1/games/", "/nowhere/"):
        response = Client().get(address)
        policy = response["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert response["X-Frame-Options"] == "DENY"
        assert response["X-Content-Type-Options"] == "nosniff"


def test_a_test_match_is_made_on_the_versions_page(client):
    user, player = make_player()
    version = make_submission(make_bot(player, name="wolf"))
    client.force_login(user)
    page = f"/submissions/{version.pk}/test/"
    assert page in client.get(f"/submissions/{version.pk}/").content.decode()
    assert "house/" in client.get(page).content.decode()
    wrong = client.post(page, {"opponents": "no/such, no/such"}).content.decode()
    assert "No bot &#x27;no/such&#x27; plays deca-slayer" in wrong
    assert 'value="no/such, no/such"' in wrong
    name = f"{player.handle}/wolf/v1"
    made = client.post(page, {"opponents": f"{name}, {name}", "every_seat": "on"})
    match = Match.objects.get(kind="test")
    assert made.url == f"/matches/{match.pk}/"
    assert match.rotations == 3
    client.force_login(make_player()[0])
    assert client.get(page).status_code == 403
