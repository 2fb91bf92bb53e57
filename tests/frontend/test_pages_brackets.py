"""Pages of brackets: every format, what is shown of it, and how many queries that takes."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from tests.builders import make_player
from tests.tournaments.chosen import run_to_the_end, settle_all
from tests.tournaments.conftest import broker  # noqa: F401 (a fixture)
from tests.tournaments.fields import field_of_bots
from tournaments import lifecycle
from tournaments.models import Table, TableSeat

pytestmark = [pytest.mark.django_db, pytest.mark.db, pytest.mark.usefixtures("broker")]
ONE = {"table_size": 2, "deals": 1, "seeding": "given"}
QUICK = ONE | {"sequential": False}


def page(address="/brackets/cup/", status=200):
    response = Client().get(address)
    assert response.status_code == status
    return response.content.decode()


def words(html):
    """The text that is read, with each run of white space as one space."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_draft_shows_its_rules_in_words_and_who_has_entered():
    rules = ONE | {"rounds": 3, "tie_breaks": ["margin", "wins"], "round_minutes": 60}
    field_of_bots(2, format="swiss", rules=rules)
    shown = words(page())
    assert "Rules: Swiss, tables of 2" in shown
    assert "rounds 3" in shown
    assert "a round closes after, minutes 60" in shown
    assert (
        "ties are broken by Mean score margin (margin), then Tables won (WON), then a shared rank"
        in shown
    )
    assert "Entries (2)" in shown
    assert "b1" in shown
    assert "provisional" not in shown


def test_an_organiser_sees_what_a_draft_will_cost():
    bracket, _ = field_of_bots(4, format="swiss", rules=ONE | {"rounds": 3})
    assert "At most" not in page()
    user, _ = make_player()
    user.is_staff = True
    user.save()
    client = Client()
    client.force_login(user)
    assert "At most 6 matches, 12 plays." in client.get("/brackets/cup/").content.decode()
    bracket.entries.all().delete()
    shown = words(client.get("/brackets/cup/").content.decode())
    assert "Stage 1 cannot be drawn: 0 entries" in shown
    assert "cannot be drawn" not in page()


def test_a_running_swiss_is_provisional_and_each_round_has_a_page():
    bracket, strength = field_of_bots(5, format="swiss", rules=ONE | {"rounds": 2})
    lifecycle.start(bracket=bracket, user=None, reason="it is time")
    shown = page()
    assert "Standings, provisional" in shown
    assert bracket.stages.get().rounds.get().draw_seed in shown
    assert "bye:" in shown
    assert "it is time" in shown  # the act
    run_to_the_end(bracket, strength)
    last = page()
    assert "<h2>Standings</h2>" in last
    assert "Round 2 <" in last
    first = page("/brackets/cup/?round=1")
    assert "Round 1 <" in first
    [match] = Table.objects.get(round__number=1, number=1).matches.all()
    assert f'href="/matches/{match.pk}/"' in first
    page("/brackets/cup/?round=3", status=404)
    page("/brackets/cup/?stage=x", status=404)
    page("/brackets/cup/?from=x&tables=-1")


def test_every_tie_break_has_its_value():
    ties = ["head-to-head", "mean-opponents", "sonneborn-berger", "margin", "wins"]
    bracket, strength = field_of_bots(4, format="round-robin", rules=ONE | {"tie_breaks": ties})
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    head, best, *_ = re.findall(r"<tr.*?</tr>", page().split("<h2>Standings</h2>")[1], re.S)
    assert re.findall(r'<abbr title="([^"]+)">([^<]+)</abbr>', head) == [
        ("Direct encounter", "DE"),
        ("Mean score of the opponents", "opponents"),
        ("Sonneborn-Berger", "SB"),
        ("Mean score margin", "margin"),
        ("Tables won", "WON"),
    ]
    cells = re.findall(r'<td class="num">([^<]*)</td>', best)
    # The best won all 3, against those who won 2, 1 and 0; it beat them by 1, 2 and 3.
    assert cells == ["1", "1.000", "3", "–", "0.417", "1.000", "2.000", "3.000"]


@pytest.mark.parametrize(
    ("format", "count", "trees", "headings"),
    [
        ("single-elimination", 6, 1, ["Round 1", "Round 2", "Final"]),
        ("double-elimination", 6, 2, ["Winners' side", "Losers' side"]),
    ],
)
def test_a_knockout_is_drawn_as_a_tree(format, count, trees, headings):
    bracket, strength = field_of_bots(count, format=format, rules=QUICK)
    lifecycle.start(bracket=bracket, user=None)
    shown = page()
    assert shown.count('<svg class="tree"') == trees
    assert "winner of W1-1" in shown
    assert all(heading in shown.replace("&#x27;", "'") for heading in headings)
    assert "style=" not in shown
    run_to_the_end(bracket, strength)
    shown = page()
    assert 'class="won"' in shown
    assert "went on" in shown
    assert "winner of W" not in shown


def test_a_large_knockout_shows_its_last_rounds():
    bracket, _ = field_of_bots(70, format="single-elimination", rules=QUICK)
    lifecycle.start(bracket=bracket, user=None)
    shown = page()
    assert "Its last rounds" in shown
    assert shown.count("<rect") == 63  # of seven rounds the last six


def test_stages_have_a_page_each_and_groups_a_table_each():
    groups = {"format": "groups", "rules": ONE | {"groups": 2, "advance": 2}}
    final = {"format": "single-elimination", "rules": QUICK}
    bracket, strength = field_of_bots(6, stages=[groups, final])
    lifecycle.start(bracket=bracket, user=None)
    shown = page()
    assert "Group 1" in shown
    assert "Group 2" in shown
    assert re.search(r'href="\?stage=2">2\. Single elimination</a> <small>not yet', shown)
    run_to_the_end(bracket, strength)
    assert "<svg" in page()
    assert "Group 2" in page("/brackets/cup/?stage=1")


def test_ones_own_bots_are_marked():
    bracket, _ = field_of_bots(4, format="swiss", rules=ONE | {"rounds": 1})
    lifecycle.start(bracket=bracket, user=None)
    user = bracket.entries.first().bot.player.members.get()
    client = Client()
    assert 'class="me' not in client.get("/brackets/cup/").content.decode()
    client.force_login(user)
    assert client.get("/brackets/cup/").content.decode().count('<tr class="me') == 4
    other, _ = make_player()
    client.force_login(other)
    assert 'class="me' not in client.get("/brackets/cup/").content.decode()


def test_acts_are_shown_with_their_reasons_and_bots_by_name():
    bracket, _ = field_of_bots(4, format="swiss", rules=ONE | {"rounds": 2})
    lifecycle.start(bracket=bracket, user=None)
    entry = bracket.entries.first()
    lifecycle.disqualify(entry=entry, user=None, reason="<b>It cheated</b>")
    shown = page()
    assert "&lt;b&gt;It cheated&lt;/b&gt;" in shown
    assert f"disqualify: {entry.bot}" in words(shown)
    assert "disqualified" in shown


def queries(address):
    Client().get(address)  # what is read once in a process
    with CaptureQueriesContext(
        connection,
    ) as seen:
        page(address)
    return len(seen)


def test_the_number_of_queries_does_not_grow_with_the_field():
    counts = {}
    for count in (6, 24):
        bracket, strength = field_of_bots(
            count, slug=f"of-{count}", format="swiss", rules=ONE | {"table_size": 4, "rounds": 2}
        )
        lifecycle.start(bracket=bracket, user=None)
        settle_all(strength, table__round__stage__bracket=bracket)
        lifecycle.advance_bracket(bracket.pk)
        counts[count] = queries(f"/brackets/of-{count}/")
    # One more where the draw had to give something up, whose bots are named.
    assert abs(counts[24] - counts[6]) <= 1, counts
    assert counts[24] <= 18


def test_five_hundred_entrants_come_by_the_hundred():
    bracket, _ = field_of_bots(500, format="swiss", rules=ONE | {"rounds": 2})
    entries = list(bracket.entries.order_by("seeding"))
    stage = bracket.stages.get()
    stage.field, stage.started_at = [entry.pk for entry in entries], now()
    stage.save()
    round_ = stage.rounds.create(number=1, draw_seed="5e" * 32, drawn_at=now(), closed_at=now())
    tables = Table.objects.bulk_create(
        Table(round=round_, number=number, closed_at=now()) for number in range(1, 251)
    )
    TableSeat.objects.bulk_create(
        TableSeat(table=table, number=seat, entry=entry, points=1.0 - seat, place=1 + seat)
        for table, pair in zip(tables, zip(entries[:250], entries[250:], strict=True), strict=True)
        for seat, entry in enumerate(pair)
    )
    assert queries("/brackets/cup/") <= 18
    first = page()
    assert first.count('id="table-') == 100
    assert "101–200" in first
    assert ">b1<" in first
    assert len(first) < 150_000
    last = page("/brackets/cup/?from=401&tables=201")
    assert last.count('id="table-') == 50
    assert ">b1<" not in last
    assert ">b500<" in last
