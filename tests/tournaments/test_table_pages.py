"""A ladder's table in pages, the ranks on it, and what a process remembers of both."""

from array import array

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.rows import entrant, played
from tournaments import entrants, ladders, ledger, page_memory, pictures, rating, table_pages
from tournaments.ledger.live import take_turn
from tournaments.models import Ladder, Rating
from tournaments.page_memory import PageMemory
from tournaments.table_pages import Cut


def database(test):
    return pytest.mark.django_db(pytest.mark.db(test))


def changed(ladder):
    """Note that the table was changed past the ledger."""
    with transaction.atomic():
        take_turn(ladder.pk, numbers=0)
    ladder.refresh_from_db()


def place_of(ladder, submission):
    found = Rating.objects.get(submission=submission)
    return pictures.picture(ladder).place(found.mu, found.sigma, found.ordinal)


@database
def test_places_are_shared_by_equals_and_follow_the_table(ladder):
    one, two, three = (entrant() for _ in range(3))
    Rating.objects.filter(submission=one).update(mu=40, sigma=1)
    changed(ladder)
    # mu ± 2 sigma: 38 to 42 against 25 ± 16.7, which reaches above 38.
    assert place_of(ladder, one) == pictures.Place(place=1, best=1, worst=3)
    assert place_of(ladder, two) == pictures.Place(place=2, best=1, worst=3)
    assert place_of(ladder, three) == place_of(ladder, two)
    Rating.objects.filter(submission=one).update(mu=60)
    changed(ladder)
    assert place_of(ladder, one) == pictures.Place(1, 1, 1)
    assert place_of(ladder, two) == pictures.Place(2, 2, 3)
    entrants.deactivate(bot=one.bot, user=None)
    ladder.refresh_from_db()
    assert pictures.picture(ladder).size == 2
    assert place_of(ladder, two) == pictures.Place(1, 1, 2)


VALUES = st.lists(st.tuples(st.floats(-50, 100), st.floats(0.01, 20)), min_size=1, max_size=40)


@given(VALUES)
def test_a_picture_gives_the_ranks_that_the_rules_give(values):
    values = [rating.RatingValue(mu, sigma) for mu, sigma in values]
    picture = pictures.Picture(
        (1, 1, 1),
        0.0,
        array("d", sorted(rating.ordinal(each) for each in values)),
        array("d", sorted(rating.interval(each)[0] for each in values)),
        array("d", sorted(rating.interval(each)[1] for each in values)),
    )
    for each, (best, worst) in zip(values, rating.rank_ranges(values), strict=True):
        ordinal = rating.ordinal(each)
        better = sum(rating.ordinal(other) > ordinal for other in values)
        assert picture.place(each.mu, each.sigma, ordinal) == pictures.Place(
            1 + better, best, worst
        )


@database
def test_a_great_table_is_pictured_anew_only_so_often(ladder, monkeypatch):
    now = 1000.0
    monkeypatch.setattr(pictures.time, "monotonic", lambda: now)
    monkeypatch.setattr(pictures, "_SMALL", 1)
    monkeypatch.setattr(pictures, "_BOTS_A_SECOND", 0.5)
    one, _ = entrant(), entrant()
    ladder.refresh_from_db()
    first = pictures.picture(ladder)
    assert (first.size, first.good_until) == (2, 1004.0)
    Rating.objects.filter(submission=one).update(mu=60)
    changed(ladder)
    now = 1003.9
    assert pictures.picture(ladder) is first  # the rank is what it was at most 4 s ago
    now = 1004.0
    assert place_of(ladder, one).place == 1
    assert pictures.picture(ladder).state == pictures.state_of(ladder)


@database
@pytest.mark.parametrize("size", [1, 2, 3, 7, 8])
def test_pages_show_every_bot_once_in_both_directions(ladder, size):
    versions = [entrant() for _ in range(7)]
    for version, mu in zip(versions, (30, 20, 30, 25, 25, 25, -3), strict=True):
        Rating.objects.filter(submission=version).update(mu=mu)
    ladder.refresh_from_db()
    order = list(ladders.table(ladder).values_list("id", flat=True))
    down, page = [], table_pages.page(ladder, size=size)
    assert page.previous is None
    while True:
        down.append([row.rating for row in page.rows])
        if page.next is None:
            break
        page = table_pages.page(ladder, cut=page.next, size=size)
    assert down == [order[at : at + size] for at in range(0, 7, size)]
    up = [down[-1]]
    while page.previous is not None:
        page = table_pages.page(ladder, cut=page.previous, size=size)
        up.append([row.rating for row in page.rows])
    assert [each for rows in reversed(up) for each in rows] == order


@database
def test_a_page_stays_where_it_is_while_bots_come_above_it(ladder):
    versions = [entrant() for _ in range(4)]
    ladder.refresh_from_db()
    page = table_pages.page(ladder, size=2)
    newcomer = entrant()
    Rating.objects.filter(submission=newcomer).update(mu=50)
    below = table_pages.page(ladder, cut=page.next, size=2)
    assert [row.submission for row in below.rows] == [version.pk for version in versions[2:]]


@database
def test_rows_say_who_they_are_and_those_of_a_player_are_found(ladder):
    version, other = entrant(), entrant()
    ladder.refresh_from_db()
    with CaptureQueriesContext(connection) as queries:
        row = table_pages.page(ladder).rows[0]
    assert len(queries) == 1
    bot = version.bot
    assert (row.submission, row.number, row.bot, row.name, row.player, row.handle) == (
        version.pk, 1, bot.pk, bot.name, bot.player_id, bot.player.handle,
    )  # fmt: skip
    found = Rating.objects.get(submission=version)
    assert (row.rating, row.mu, row.sigma, row.ordinal, row.matches) == (
        found.pk, found.mu, found.sigma, found.ordinal, 0,
    )  # fmt: skip
    assert table_pages.of_bots(ladder, handle=bot.player.handle).rows == [row]
    assert table_pages.of_bots(ladder, bot=bot.pk).rows == [row]
    assert table_pages.of_bots(ladder, bot=other.bot_id, handle=bot.player.handle).rows == []
    assert table_pages.of_bots(ladder, bot=0).rows == []


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 10**17), st.booleans())
def test_a_cut_is_read_as_it_was_written(ordinal, pk, up):
    cut = Cut(ordinal, pk, up)
    assert Cut.parse(str(cut)) == cut


@pytest.mark.parametrize(
    "text", ["", "d", "d1.0_2", "x0x1.8p+1_2", "d0x1.8p+1_", "d0x1.8p+1_٣", "dnan_1", "dinf_1",
             "d0x1.8p+9999_1", "d0x1.8p+1_" + "9" * 19],
)  # fmt: skip
def test_anything_else_is_no_cut(text):
    with pytest.raises(ValueError, match="no place on a table"):
        Cut.parse(text)


@database
def test_a_page_is_remembered_until_the_table_changes(ladder, worker, settings, monkeypatch):
    settings.TABLE_FRESH_S, settings.TABLE_PAGE_S = 0.2, 5.0
    now = 1000.0
    monkeypatch.setattr(page_memory.time, "monotonic", lambda: now)
    versions = [entrant() for _ in range(3)]
    page_memory._heads.clear()
    memory = PageMemory(2)
    known = page_memory.ladder_of(ladder.slug)
    kept = memory.keep(known, pictures.picture(known), b"page", "a")
    assert memory.get(known, "a") is kept
    assert memory.get(known, "b") is None
    played(ladder, versions)
    assert page_memory.ladder_of(ladder.slug) is known  # nobody has asked since
    now = 1000.2
    fresh = page_memory.ladder_of(ladder.slug)
    assert fresh.seq == known.seq + 1
    assert memory.get(fresh, "a") is None
    again = memory.keep(fresh, pictures.picture(fresh), b"other", "a")
    assert again.etag != kept.etag
    now = 1005.2
    assert memory.get(fresh, "a") is None  # how long bots wait changes with time alone
    for key in "abc":
        memory.keep(fresh, pictures.picture(fresh), b"", key)
    assert [memory.get(fresh, key) is None for key in "abc"] == [True, False, False]


@database
@pytest.mark.parametrize("act", ["deactivate", "activate", "match", "generation"])
def test_every_change_of_a_table_changes_its_state(ladder, worker, act):
    versions = [entrant() for _ in range(3)]
    old = versions[0]
    before = pictures.state_of(Ladder.objects.get(pk=ladder.pk))
    if act == "deactivate":
        entrants.deactivate(bot=old.bot, user=None)
    elif act == "activate":
        entrants.deactivate(bot=old.bot, user=None)
        between = pictures.state_of(Ladder.objects.get(pk=ladder.pk))
        entrants.activate(submission=old, user=None)
        assert pictures.state_of(Ladder.objects.get(pk=ladder.pk)) != between
    elif act == "match":
        played(ladder, versions)
    else:
        ledger.show(ladder=ladder, number=ledger.rerate(ladder=ladder).number)
    assert pictures.state_of(Ladder.objects.get(pk=ladder.pk)) != before
