"""The page on who sees what: the calls that it names ask for what it says."""

import re

import pytest
from django.urls import resolve

from api.serializers.accounts import TokenSerializer
from api.serializers.bots import OwnSubmissionSerializer, SubmissionSerializer
from bots.admin import SubmissionAdmin, TokenAdmin
from tests.api.conftest import client
from tests.builders import make_bot, make_player, make_submission
from tests.frontend.docs_reader import plain, tables
from tests.playing import at_random, eager, passing, play_out
from tests.tournaments.conftest import make_worker
from tournaments import brackets, dispatch

(TABLE,) = tables("privacy.md")


def addresses(match, bot) -> list[str]:
    """The rows' calls, for real rows."""
    found = []
    for cell in TABLE.column(3):
        path = plain(cell)
        pk = match.pk if "/matches/" in path else bot.active_id
        path = path.replace("/ID/", f"/{pk}/").replace("/N/", "/0/")
        path = path.replace("/SEAT/", "/0/").replace("/SLUG/", "/cup/")
        found.append(path.replace("/HANDLE/", f"/{bot.player.handle}/"))
    return found


@pytest.fixture
def league(db):
    """A match of three, not yet played; its first bot, which is `owner`'s; and callers."""
    user, player = make_player()
    staff, _ = make_player()
    staff.is_staff = True
    staff.save()
    bots = [make_bot(player), make_bot(), make_bot()]
    versions = [make_submission(bot) for bot in bots]
    for bot, version in zip(bots, versions, strict=True):
        bot.active = version
        bot.save()
    match = dispatch.make_match(kind="test", game="deca-slayer", submissions=versions)
    brackets.create_bracket(
        slug="cup", title="Cup", game="deca-slayer", format="swiss", rules={"rounds": 1},
        organiser=None,
    )  # fmt: skip
    callers = {
        "everybody": client(make_player()[0], "read"),
        "owner": client(user, "read"),
        "organisers": client(staff, "read", "organise"),
    }
    return match, bots[0], callers


def test_calls_answer_those_who_may_ask(league):
    # given a match that is over
    match, bot, callers = league
    play_out(match, make_worker("docs@here"), [at_random, eager, passing])

    for (what, who, _, _), path in zip(TABLE.rows, addresses(match, bot), strict=True):
        assert resolve(path), path
        answers = {name: api.get(path) for name, api in callers.items()}
        statuses = {name: answer.status_code for name, answer in answers.items()}
        for answer in answers.values():
            answer.getvalue()  # reads files to their end, which closes them
        if what.startswith("reason and log"):
            # The call is open to all, these two fields are not.
            for name, answer in answers.items():
                assert ("log" in answer.data and "reason" in answer.data) == (name == "owner")
        elif who in ("everybody", "the user"):
            assert set(statuses.values()) == {200}, what
        elif who == "organisers":
            assert statuses == {"everybody": 403, "owner": 403, "organisers": 200}, what
        else:
            assert who.startswith("members of"), who
            assert statuses == {"everybody": 403, "owner": 200, "organisers": 403}, what


def test_calls_tell_nothing_of_a_match_that_goes_on(league):
    # given a match that is not over
    match, bot, callers = league
    for (_, _, when, _), path in zip(TABLE.rows, addresses(match, bot), strict=True):
        for name, api in callers.items():
            answer = api.get(path)
            assert match.seed.encode() not in answer.getvalue(), (name, path)
            if when == "when the whole match is over" and answer.status_code not in (403, 409):
                assert (answer.data["seed"], answer.data["plays"]) == (None, []), (name, path)
    for api in callers.values():
        assert api.get(f"/api/v1/matches/{match.pk}/").data["commitment"] == match.commitment


def test_a_notice_is_its_users_alone(league):
    _, _, callers = league  # the owner's version has qualified
    found = {name: api.get("/api/v1/notices/").data["results"] for name, api in callers.items()}
    assert found["everybody"] == found["organisers"] == []
    assert [notice["kind"] for notice in found["owner"]] == ["qualified"]


def test_organisers_pages_leave_out_what_the_page_says():
    assert not {"package", "log"} & set(SubmissionAdmin.fields)
    assert "reason" in SubmissionAdmin.fields
    assert "sha256" not in TokenAdmin.fields
    assert "prefix" in TokenAdmin.fields
    assert "key" not in TokenSerializer.Meta.fields


def test_public_fields_of_a_version_are_as_named():
    row = TABLE.rows[0][0]
    named = re.search(r"versions \((.*)\)", row)[1].lower().replace("-", "").split(", ")
    assert set(named) == {"number", "state", "language", "size", "sha256"}
    assert set(named) <= set(SubmissionSerializer.Meta.fields)
    private = set(OwnSubmissionSerializer.Meta.fields) - set(SubmissionSerializer.Meta.fields)
    assert {"reason", "log"} <= private
