"""Knock-out brackets: who meets whom, when a table is decided, and what stops one."""

import pytest

from bots.faults import Conflict, UserFault
from bots.models import Act, Notice
from tests.builders import make_player
from tests.tournaments.chosen import run_to_the_end, settle, settle_all
from tests.tournaments.fields import field_of_bots
from tests.tournaments.rows import entrant, rated
from tournaments import brackets, dispatch, lifecycle
from tournaments.models import Bracket, Match, Round, Table

pytestmark = [pytest.mark.django_db, pytest.mark.db]

FIXED = {"table_size": 2, "deals": 1, "sequential": False, "seeding": "given"}


def knockout(count, format="single-elimination", *, organiser=None, **rules):
    """A started knock-out of Kunlun with the seeds 1 … count; strengths by submission, too."""
    return field_of_bots(
        count, format=format, rules={**FIXED, **rules}, game="kunlun", organiser=organiser
    )


def seeds_of(bracket):
    return {entry.pk: entry.seeding for entry in bracket.entries.all()}


def pairings(bracket, number):
    """The seeds at each table of a round, by the table's name, better seed first."""
    seed = seeds_of(bracket)
    return {
        table.name: tuple(sorted(seed[seat.entry_id] for seat in table.seats.all()))
        for table in Table.objects.filter(
            round__stage__bracket=bracket, round__number=number
        ).order_by("number")
    }


def final_order(bracket):
    seed = seeds_of(bracket)
    return [(row.rank, seed[row.entrant]) for row in lifecycle.standings_of(bracket.stages.last())]


def test_eight_seeds_meet_as_in_every_draw_book():
    bracket, strength = knockout(8)
    lifecycle.start(bracket=bracket, user=None)
    assert list(pairings(bracket, 1).values()) == [(1, 8), (4, 5), (2, 7), (3, 6)]
    run_to_the_end(bracket, strength)
    assert list(pairings(bracket, 2).values()) == [(1, 4), (2, 3)]
    assert list(pairings(bracket, 3).values()) == [(1, 2)]
    # Losers of one round came equally far.
    assert final_order(bracket) == [
        (1, 1), (2, 2), (3, 3), (3, 4), (5, 5), (5, 6), (5, 7), (5, 8),
    ]  # fmt: skip


def test_byes_go_to_the_top_seeds_and_are_no_tables():
    bracket, strength = knockout(6)
    lifecycle.start(bracket=bracket, user=None)
    assert list(pairings(bracket, 1).values()) == [(4, 5), (3, 6)]
    run_to_the_end(bracket, strength)
    assert list(pairings(bracket, 2).values()) == [(1, 4), (2, 3)]
    assert not Table.objects.filter(bye=True).exists()


def test_the_losers_of_the_semi_finals_may_play_for_the_third_place():
    bracket, strength = knockout(4, third_place=True)
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    assert pairings(bracket, 2) == {"T": (3, 4), "F1": (1, 2)}
    assert final_order(bracket) == [(1, 1), (2, 2), (3, 3), (4, 4)]


@pytest.mark.parametrize("count", [2, 3, 5, 7])
def test_in_a_double_elimination_all_but_the_champion_lose_twice(count):
    bracket, strength = knockout(count, "double-elimination")
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    tables = Table.objects.filter(round__stage__bracket=bracket)
    assert tables.count() == 2 * count - 2
    lost = dict.fromkeys(seeds_of(bracket), 0)
    for table in tables:
        lost[table.seats.order_by("place").last().entry_id] += 1
    champion = next(pk for pk, seed in seeds_of(bracket).items() if seed == 1)
    assert lost.pop(champion) == 0
    assert set(lost.values()) == {2}


def test_the_losers_champion_resets_the_grand_final():
    bracket, _ = knockout(4, "double-elimination")
    lifecycle.start(bracket=bracket, user=None)
    seed = {entry.submission_id: entry.seeding for entry in bracket.entries.all()}
    while True:
        lifecycle.advance_bracket(bracket.pk)
        bracket.refresh_from_db()
        if bracket.state == "finished":
            break
        for match in Match.objects.filter(state="queued"):
            # The first seed loses its first table, and none after.
            early = match.table.name.startswith("W")
            settle(match, {pk: -99 if early and seed[pk] == 1 else -seed[pk] for pk in seed})
    assert [table.name for table in Table.objects.order_by("-id")[:2]] == ["F2", "F1"]
    assert Table.objects.count() == 2 * 4 - 1
    assert final_order(bracket)[0] == (1, 1)


def test_of_tables_of_four_the_upper_half_goes_on():
    bracket, strength = knockout(8, table_size=4)
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, strength)
    assert list(pairings(bracket, 1).values()) == [(1, 4, 5, 8), (2, 3, 6, 7)]
    assert list(pairings(bracket, 2).values()) == [(1, 2, 3, 4)]
    assert [seed for _, seed in final_order(bracket)][:4] == [1, 2, 3, 4]


def test_equal_places_go_to_the_better_seed():
    bracket, strength = knockout(4)
    lifecycle.start(bracket=bracket, user=None)
    run_to_the_end(bracket, dict.fromkeys(strength, 1.0))
    assert [seed for _, seed in final_order(bracket)][:2] == [1, 2]
    assert list(pairings(bracket, 2).values()) == [(1, 2)]
    places = Table.objects.get(name="F1").seats.values_list("place", flat=True)
    assert sorted(places) == [1, 2]


# ------------------------------------------------------------------ the sequential test


def test_a_table_plays_deals_until_it_is_decided():
    bracket, strength = knockout(2, sequential=True, deals=10, least_deals=3)
    lifecycle.start(bracket=bracket, user=None)
    assert Match.objects.count() == 3  # no fewer, and no more before they are looked at
    run_to_the_end(bracket, strength)
    # The same winner in every deal: no doubt after the least.
    assert Match.objects.filter(state="finished").count() == 3
    assert Table.objects.get().note == "Told apart after 3 deals."


def test_at_the_cap_the_higher_mean_goes_on():
    bracket, strength = knockout(2, sequential=True, deals=7, least_deals=2)
    lifecycle.start(bracket=bracket, user=None)
    one, two = strength
    for deal in range(1, 8):
        if not Match.objects.filter(deal=deal).exists():
            lifecycle.advance_bracket(bracket.pk)
        # The second seed wins four of seven.
        winner = two if deal % 2 else one
        settle(Match.objects.get(deal=deal), {one: 0, two: 0, winner: 1})
    lifecycle.advance_bracket(bracket.pk)
    bracket.refresh_from_db()
    assert bracket.state == "finished"
    assert Table.objects.get().note == "Not told apart in 7 deals: the higher mean goes on."
    assert final_order(bracket) == [(1, 2), (2, 1)]


def test_deals_played_ahead_do_not_change_the_verdict():
    bracket, strength = knockout(2, sequential=True, deals=9, least_deals=2)
    lifecycle.start(bracket=bracket, user=None)
    one, two = strength
    settle(Match.objects.get(deal=1), {one: 1, two: 0})
    settle(Match.objects.get(deal=2), {one: 0, two: 1})
    lifecycle.advance_bracket(bracket.pk)
    # Level after two: two more at once, so that no worker waits.
    assert list(
        Match.objects.filter(state="queued").order_by("deal").values_list("deal", flat=True)
    ) == [3, 4]
    settle(Match.objects.get(deal=4), {one: 0, two: 1})
    lifecycle.advance_bracket(bracket.pk)
    # The fourth says nothing as long as the third is out.
    assert Table.objects.get().closed_at is None
    assert Match.objects.count() == 4


# ------------------------------------------------------------------ when something goes wrong


def test_a_deal_that_cannot_be_played_keeps_the_round_open_and_tells_the_organiser_once():
    user, _ = make_player()
    user.is_staff = True
    user.save()
    bracket, strength = knockout(2, organiser=user)
    lifecycle.start(bracket=bracket, user=None)
    for _ in range(1 + lifecycle.REPLACEMENTS):
        dispatch.void(match=Match.objects.get(state="queued"), reason="again", user=None)
        lifecycle.advance_bracket(bracket.pk)
    for _ in range(2):
        lifecycle.advance_bracket(bracket.pk)
    bracket.refresh_from_db()
    assert bracket.state == "running"
    assert Round.objects.get().closed_at is None
    notice = Notice.objects.get(user=user, kind="bracket-stuck")
    assert "table F1" in notice.text
    # He lets it be played again.
    lifecycle.void_table(table=Table.objects.get(), user=user, reason="another machine now")
    run_to_the_end(bracket, strength)
    assert final_order(bracket) == [(1, 1), (2, 2)]


def test_a_deadline_does_not_end_a_knock_out_table():
    bracket, strength = knockout(2, round_minutes=5)
    lifecycle.start(bracket=bracket, user=None)
    Round.objects.update(deadline=Round.objects.get().drawn_at)
    lifecycle.advance_bracket(bracket.pk)
    assert Round.objects.get().closed_at is None
    assert "deadline" in Table.objects.get().note
    assert Match.objects.get().state == "queued"
    lifecycle.extend(round_=Round.objects.get(), user=None, deadline=None, reason="no hurry")
    assert Table.objects.get().note == ""
    settle_all(strength)
    lifecycle.advance_bracket(bracket.pk)
    bracket.refresh_from_db()
    assert bracket.state == "finished"


def test_who_has_withdrawn_forfeits_the_next_table():
    bracket, strength = knockout(4)
    lifecycle.start(bracket=bracket, user=None)
    first = bracket.entries.get(seeding=1)
    settle_all(strength)
    brackets.withdraw(entry=first, user=None, reason="enough")
    run_to_the_end(bracket, strength)
    final = Table.objects.get(name="F1")
    assert final.matches.count() == 0
    assert "forfeited" in final.note
    assert final_order(bracket)[0] == (1, 2)


def test_the_disqualified_leaves_its_open_table_at_once():
    bracket, strength = knockout(8, table_size=4, min_size=2)
    lifecycle.start(bracket=bracket, user=None)
    gone = bracket.entries.get(seeding=1)
    lifecycle.disqualify(entry=gone, user=None, reason="two bots of one author")
    lifecycle.advance_bracket(bracket.pk)
    table = Table.objects.get(seats__entry=gone)
    assert sorted(table.matches.values_list("state", "players")) == [("queued", 3), ("void", 4)]
    run_to_the_end(bracket, strength)
    seed = seeds_of(bracket)
    places = {seed[seat.entry_id]: seat.place for seat in table.seats.all()}
    assert places == {4: 1, 5: 2, 8: 3, 1: 4}
    assert final_order(bracket)[0] == (1, 2)
    assert Act.objects.filter(verb="disqualify", reason="two bots of one author").exists()
    with pytest.raises(Conflict, match="finished"):
        lifecycle.disqualify(entry=gone, user=None, reason="again")


def test_a_table_is_played_again_only_while_nothing_is_drawn_from_it():
    bracket, strength = knockout(4)
    lifecycle.start(bracket=bracket, user=None)
    settle_all(strength)
    lifecycle.advance_bracket(bracket.pk)
    with pytest.raises(Conflict, match="Round 2 is drawn"):
        lifecycle.void_table(
            table=Table.objects.get(name="W1-1"), user=None, reason="a fault in the engine"
        )
    run_to_the_end(bracket, strength)
    final = Table.objects.get(name="F1")
    lifecycle.void_table(table=final, user=None, reason="a fault in the engine")
    bracket.refresh_from_db()
    assert bracket.state == "running"
    upset = {pk: -value for pk, value in strength.items()}
    run_to_the_end(bracket, upset)
    assert list(final.matches.order_by("deal").values_list("deal", "state")) == [
        (1, "finished"),
        (2, "finished"),
    ]
    assert final_order(bracket)[0] == (1, 2)


# ------------------------------------------------------------------ seeds


def test_seeds_come_from_the_ladder(ladder):
    versions = [entrant() for _ in range(3)]
    rated(ladder, versions, [3, 1, 2])
    bracket = brackets.create_bracket(
        slug="by-ladder", title="By ladder", game="deca-slayer", format="single-elimination",
        rules={"table_size": 4, "sequential": False, "deals": 1}, organiser=None,
    )  # fmt: skip
    newcomer = entrant()
    for version in [newcomer, *versions]:
        brackets.enter(bracket=bracket, bot=version.bot, user=None)
    # Who has not played has mu − 3 sigma = 0, and the last of a match has less.
    lifecycle.start(bracket=bracket, user=None)
    by_bot = {entry.pk: entry.bot_id for entry in bracket.entries.all()}
    order = [by_bot[pk] for pk in bracket.stages.get().field]
    assert order == [
        version.bot_id for version in (versions[1], versions[2], newcomer, versions[0])
    ]


def test_the_organiser_reseeds_before_the_start_only():
    bracket, _ = knockout(4)
    entries = list(bracket.entries.order_by("seeding"))
    order = [entries[index].pk for index in (3, 2, 1, 0)]
    with pytest.raises(UserFault, match="each of the 4 entries once"):
        lifecycle.reseed(bracket=bracket, user=None, order=order[:3], reason="by hand")
    lifecycle.reseed(bracket=bracket, user=None, order=order, reason="by hand")
    lifecycle.start(bracket=bracket, user=None)
    assert bracket.stages.get().field == order
    with pytest.raises(Conflict, match="fixed"):
        lifecycle.reseed(bracket=bracket, user=None, order=order, reason="late")
    assert Act.objects.filter(verb="reseed").count() == 1


def test_a_field_that_cannot_be_a_knock_out_does_not_start():
    # Two of five wait for the final of four, and three are no table of four.
    bracket, _ = knockout(5, table_size=4, min_size=4)
    with pytest.raises(Conflict, match="cannot be drawn"):
        lifecycle.start(bracket=bracket, user=None)
    bracket.refresh_from_db()
    assert bracket.state == Bracket.State.DRAFT
