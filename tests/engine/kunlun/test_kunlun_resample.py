"""Dealing anew what a player cannot know: section 14 of the rules, the steps done by hand."""

from engine.chance import Chance
from tests.engine.kunlun.positions import GAME, SEED, cards, in_order, position, seat

OTHER = "ab" * 32


def example():
    return position(
        "stride, thunders",
        clan="wu",
        ready="flame, contemplation, 2 diligence, pyre",
        waiting="diligence",
        zone="mud-ghoul",
        others=(
            {
                "clan": "kunlun",
                "hand": "2 scabbard, 2 diligence, contemplation",
                "ready": "enlightenment, scabbard, blade, diligence",
                "sure": "scabbard, diligence",
            },
            {"clan": "kichen", "hand": "2 drum, 3 diligence", "ready": "2 diligence, beacon"},
        ),
    )


def test_another_hand_mixes_with_its_ready_deck():
    after = example().resample(2, OTHER).to_dict()["seats"]
    chance = Chance(OTHER)

    # In turn, so the hand is known: only the Ready deck is shuffled.
    deck = in_order(cards("flame, contemplation, 2 diligence, pyre"))
    chance.shuffle("ready-0", deck)
    assert (after[0]["ready"], after[0]["hand"]) == (deck, cards("stride, thunders"))

    # Not known but for what is sure; the cards from the end of the pool are the rest of the hand.
    pool = cards("scabbard, diligence, contemplation") + cards("enlightenment, scabbard, blade")
    pool = in_order([*pool, "diligence"])
    chance.shuffle("ready-1", pool)
    hand = [*cards("scabbard, diligence"), pool.pop(), pool.pop(), pool.pop()]
    assert (after[1]["hand"], after[1]["ready"]) == (in_order(hand), pool)
    assert after[1]["sure"] == cards("scabbard, diligence")

    own = cards("2 diligence, beacon")
    chance.shuffle("ready-2", own)
    assert (after[2]["ready"], after[2]["hand"]) == (own, cards("2 drum, 3 diligence"))


def test_a_spectator_knows_only_the_hand_in_turn():
    state = example()
    hands = set()
    for number in range(20):
        after = state.resample(None, f"{number:064x}")
        assert seat(after, 0)["hand"] == cards("stride, thunders")
        hands.add(tuple(seat(after, 2)["hand"]))
    assert len(hands) > 1


def test_the_decks_of_the_table():
    state = example()
    before, after = state.to_dict(), state.resample(0, OTHER).to_dict()
    chance = Chance(OTHER)
    for deck in ("servants", "artifacts", "miasmas"):
        expected = in_order(before[deck])
        chance.shuffle(deck, expected)
        assert after[deck] == expected
    lords = in_order(name for name in before["lords"] if name != "supreme-villain")
    chance.shuffle("lords", lords)
    assert after["lords"] == ["supreme-villain", *lords]


def test_seed_words_and_events():
    state = GAME.new_initial_state(3, SEED, {"first": 0})
    after = state.resample(1, OTHER).to_dict()
    assert after["seed"] == OTHER
    assert after["drawn"] == {
        "ready-0": 1,
        "ready-1": 1,
        "ready-2": 6,
        "servants": 47,
        "artifacts": 13,
        "miasmas": 9,
        "lords": 4,
    }
    assert after["events"] == [e for e in state.events if e["visible_to"] in (None, [1])]
    spectator = state.resample(None, OTHER)
    assert all(event["visible_to"] is None for event in spectator.events)


def test_the_supreme_villain_presides():
    state = position("diligence", lord="supreme-villain")
    assert "supreme-villain" not in state.resample(0, OTHER).to_dict()["lords"]


def test_while_clans_are_chosen_no_hand_is_dealt():
    state = GAME.new_initial_state(2, SEED, {"clans": "choose", "first": 0})
    state.apply_action(0, "clan wu")
    after = state.resample(1, OTHER)
    assert seat(after, 0)["ready"] == ["disciple-of-the-flame"] * 2 + ["diligence"] * 5
    assert set(after.to_dict()["drawn"]) == {"servants", "artifacts", "miasmas", "lords"}


def test_after_the_end_every_ready_deck_is_dealt():
    state = position(
        "diligence",
        turn=1,
        quiet=14,
        ready="2 thunders, stride",
        others=({"hand": "5 diligence", "ready": "2 scabbard"},),
        clan="wu",
    )
    state.apply_action(1, "end turn")
    after = state.resample(1, OTHER)
    assert seat(after, 1)["hand"] == []
    assert sorted(seat(after, 1)["ready"]) == sorted(cards("2 thunders, stride"))
    assert len(seat(after, 0)["hand"]) == 5
