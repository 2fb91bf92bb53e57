"""Dealing anew what a player cannot know: section 16 of the rules."""

import random
from collections import Counter

import pytest

from engine.contract import may_see
from tests.engine.slawia.invariants import start
from tests.engine.slawia.positions import act, at, position, seen


def seeds(count):
    return [f"{number:064x}" for number in range(count)]


def hunted(trophies, discard, deck, hunts, players=3):
    """A position after hunts: trophies by seat, the discard pile and the deck, as they lie."""
    return position(
        players=players,
        monster_trophies=trophies,
        monster_discard=discard,
        monster_deck=deck,
        hunts=hunts,
    )


def of_others(state, viewer):
    """What the dealing gave: trophies of all but the viewer, the discard pile, the sorted deck."""
    position_ = state.to_dict()
    trophies = [
        cards for player, cards in enumerate(position_["monster_trophies"]) if player != viewer
    ]
    return trophies, position_["monster_discard"], sorted(position_["monster_deck"])


def test_the_rest_of_a_hunt_in_the_discard_pile():
    """Player 0 has the zmey; the other trophy and the two cards left over are any of three."""
    discard = [["likho", None], ["striga", 0], ["vila", 0]]
    state = hunted(
        [[["zmey", 0]], [["leshy", 0]], []], discard, "bies", [["leshy", "striga", "vila", "zmey"]]
    )
    found = Counter()
    for seed in seeds(200):
        trophies, pile, deck = of_others(state.resample(0, seed), 0)
        assert pile[0] == ["likho", None]
        assert deck == ["bies"]
        cards = [trophies[0][0][0], pile[1][0], pile[2][0]]
        assert trophies == [[[cards[0], 0]], []]
        assert sorted(cards) == ["leshy", "striga", "vila"]
        found[tuple(cards)] += 1
    assert len(found) == 6
    # 200 / 6 each
    assert all(10 < count < 60 for count in found.values())
    # For player 1 the zmey is one of the three, and his leshy stays.
    cards = set()
    for seed in seeds(50):
        trophies, pile, _ = of_others(state.resample(1, seed), 1)
        cards.add((trophies[0][0][0], pile[1][0], pile[2][0]))
    assert len(cards) == 6
    assert all(sorted(names) == ["striga", "vila", "zmey"] for names in cards)


def test_a_hunt_without_a_rest():
    state = hunted(
        [[["zmey", 0]], [["leshy", 0]], [["vila", 0]]], [], "bies", [["leshy", "vila", "zmey"]]
    )
    faces = {str(of_others(state.resample(0, seed), 0)) for seed in seeds(30)}
    assert faces == {
        "([[['leshy', 0]], [['vila', 0]]], [], ['bies'])",
        "([[['vila', 0]], [['leshy', 0]]], [], ['bies'])",
    }
    spectator = {str(of_others(state.resample(None, seed), None)[0]) for seed in seeds(60)}
    assert len(spectator) == 6


def test_hunts_do_not_mix():
    hunts = [["leshy", "vila"], ["striga", "topielec"]]
    trophies = [[], [["leshy", 0], ["topielec", 1]], []]
    state = hunted(trophies, [["vila", 0], ["striga", 1]], "bies", hunts)
    for seed in seeds(20):
        (mine, _), pile, _ = of_others(state.resample(0, seed), 0)
        assert {mine[0][0], pile[0][0]} == {"leshy", "vila"}
        assert {mine[1][0], pile[1][0]} == {"striga", "topielec"}


def test_a_rest_that_was_shuffled_into_the_deck():
    """The other's trophy is any card of the hunt that can be in the deck instead."""
    hunt = [["leshy", "striga", "vila", "zmey"]]
    trophies = [[["zmey", 0]], [["leshy", 0]], []]
    state = hunted(trophies, [], "striga vila bies", hunt)
    found = {str(of_others(state.resample(0, seed), 0)) for seed in seeds(60)}
    assert found == {
        "([[['leshy', 0]], []], [], ['bies', 'striga', 'vila'])",
        "([[['striga', 0]], []], [], ['bies', 'leshy', 'vila'])",
        "([[['vila', 0]], []], [], ['bies', 'leshy', 'striga'])",
    }
    # The vila was drawn since: it is not a trophy.
    state = hunted(trophies, [], "striga bies", hunt)
    found = {str(of_others(state.resample(0, seed), 0)) for seed in seeds(60)}
    assert found == {
        "([[['leshy', 0]], []], [], ['bies', 'striga'])",
        "([[['striga', 0]], []], [], ['bies', 'leshy'])",
    }


def test_two_hunts_whose_rests_are_in_one_deck():
    """Three strigas for two trophies and the deck: no deal takes a card that is not there."""
    hunts = [["striga", "leshy"], ["striga", "leshy"], ["striga", "zmey"]]
    trophies = [[], [["leshy", 0], ["striga", 1], ["zmey", 2]], []]
    state = hunted(trophies, [], "striga bies", hunts)
    found = Counter()
    for seed in seeds(300):
        (mine, _), _, deck = of_others(state.resample(0, seed), 0)
        names = [card for card, _ in mine]
        assert [hunt for _, hunt in mine] == [0, 1, 2]
        assert names[0] in hunts[0]
        assert names[1] in hunts[1]
        assert names[2] in hunts[2]
        assert sorted([*names, *deck]) == ["bies", "leshy", "striga", "striga", "zmey"]
        found[tuple(names)] += 1
    # One leshy, two strigas and the zmey are left: all that these allow.
    assert set(found) == {
        *(("leshy", "striga", "zmey"), ("leshy", "striga", "striga")),
        *(("striga", "leshy", "zmey"), ("striga", "leshy", "striga")),
        ("striga", "striga", "zmey"),
    }


def test_both_decks_are_dealt_anew():
    state = position(draws="zmey leshy vila", reveals="far-bank fog-moor")
    before = state.to_dict()
    tops = set()
    for seed in seeds(40):
        after = state.resample(1, seed).to_dict()
        assert sorted(after["monster_deck"]) == sorted(before["monster_deck"])
        assert sorted(after["location_deck"]) == sorted(before["location_deck"])
        tops.add((after["monster_deck"][-1], after["location_deck"][-1]))
    assert len(tops) > 20


def test_later_chance_is_fresh():
    state = position(at("old-mill", "chochlik"), streams={"start": 1, "monsters": 53})
    after = state.resample(0, "ab" * 32).to_dict()
    assert (after["seed"], after["streams"]) == ("ab" * 32, {})


def test_events_of_others_are_gone():
    events = [
        {"kind": "trophy", "player": 1, "visible_to": None},
        {"kind": "trophy-card", "player": 1, "card": "zmey", "visible_to": [1]},
    ]
    state = position(at("old-mill", "chochlik"), events=events)
    assert state.resample(0, "ab" * 32).events == events[:1]
    assert state.resample(None, "ab" * 32).events == events[:1]
    assert state.resample(1, "ab" * 32).events == events


def test_after_the_end_it_is_a_plain_copy():
    state = position(
        at("old-mill", "chochlik", used=True),
        at("wolf-pass", "chochlik", used=True),
        trophies={0: "zmey", 1: "leshy"},
        step=3,
        slayers_played=2,
        last_turn=True,
        time=24,
        lair="skarbnik skarbnik",
    )
    act(state, "lair skarbnik")
    assert seen(state)["phase"] == "over"
    copy = state.resample(0, "ab" * 32)
    assert copy is not state
    assert copy.to_dict() == state.to_dict()


def test_trophies_of_no_known_hunt_stay():
    """A set position may leave the hunts out."""
    state = hunted([[], [["zmey", 3]], []], [["vila", 5]], "bies likho", [])
    for seed in seeds(5):
        trophies, pile, _ = of_others(state.resample(0, seed), 0)
        assert (trophies, pile) == ([[["zmey", 3]], []], [["vila", 5]])


@pytest.mark.parametrize("number", range(16))
def test_resampling_in_random_plays(number):
    """Every card is still there, and every trophy of a hunt that it can be from."""
    rng = random.Random(number)
    state = start(number, rng)
    while not state.is_terminal():
        player = state.current_players()[0]
        state.apply_action(player, rng.choice(state.legal_actions(player)))
        if rng.random() < 0.2:
            for viewer in (None, *range(state.players)):
                check(state, state.resample(viewer, f"{rng.getrandbits(256):064x}"), viewer)


def check(state, other, viewer):
    assert other.observation(viewer) == state.observation(viewer)
    player = state.current_players()[0] if not state.is_terminal() else 0
    assert other.legal_actions(player) == state.legal_actions(player)
    for one, two in ((state, other), (other, state)):
        told = [event for event in one.events if may_see(event, viewer)]
        assert told == [event for event in two.events if may_see(event, viewer)]
    before, after = state.to_dict(), other.to_dict()
    hidden = ("seed", "streams", "monster_deck", "location_deck", "monster_discard")
    hidden += ("monster_trophies", "events")
    assert {name: value for name, value in after.items() if name not in hidden} == {
        name: value for name, value in before.items() if name not in hidden
    }
    assert sorted(after["location_deck"]) == sorted(before["location_deck"])
    assert monsters_of(after) == monsters_of(before)
    for name, (old, new) in {
        "trophies": (before["monster_trophies"], after["monster_trophies"]),
        "discard": ([before["monster_discard"]], [after["monster_discard"]]),
    }.items():
        assert [[hunt for _, hunt in cards] for cards in new] == [
            [hunt for _, hunt in cards] for cards in old
        ], name
    if viewer is not None:
        assert after["monster_trophies"][viewer] == before["monster_trophies"][viewer]
    for card, (old, hunt) in zip(after["monster_discard"], before["monster_discard"], strict=True):
        assert hunt is not None or card == [old, None]
    for number, names in enumerate(after["hunts"]):
        assert cards_of(after, number) <= Counter(names)
        if any(hunt == number for _, hunt in before["monster_discard"]):
            assert cards_of(after, number) == Counter(names)


def cards_of(position_, number):
    zones = (*position_["monster_trophies"], position_["monster_discard"])
    return Counter(card for cards in zones for card, hunt in cards if hunt == number)


def monsters_of(position_):
    zones = (*position_["monster_trophies"], position_["monster_discard"])
    return Counter(position_["monster_deck"]) + Counter(
        card for cards in zones for card, _ in cards
    )
