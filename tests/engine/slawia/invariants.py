"""What holds at every decision of every play, checked from the position and from the events.

    python3 -m tests.engine.slawia.invariants [--plays 2000] [--first 0]

plays random plays with 2, 3, 4 and 5 players in turn, half of them with a monster deck of a few
cards, so that it is renewed again and again.
"""

import argparse
import random
from collections import Counter
from typing import Any

from engine.contract import State
from tests.engine.slawia.positions import GAME, LOCATIONS, MONSTERS, SLAYERS

TREASURES = {
    **dict.fromkeys(MONSTERS, 0),
    "skarbnik": 1,
    "poludnica": 1,
    "basilisk": 1,
    "leshy": 2,
    "zmey": 3,
    "mimic": 1,
}


class Follower:
    """The table as somebody knows it who was told every event and saw nothing else."""

    def __init__(self, players: int) -> None:
        self.told = 0
        self.table: dict[int, str] = {}
        self.slayers: dict[str, list[list[Any]]] = {}
        self.monsters: dict[str, list[list[Any]]] = {}
        self.lair: list[str] = []
        self.glory = [0] * players
        self.won: list[list[str]] = [[] for _ in range(players)]
        self.lost: list[str] = []
        self.trophies: list[list[str]] = [[] for _ in range(players)]
        self.time = 0

    def follow(self, events: list[dict[str, Any]]) -> None:
        for event in events[self.told :]:
            getattr(self, "on_" + event["kind"].replace("-", "_"), self.ignore)(event)
        self.told = len(events)

    def ignore(self, event: dict[str, Any]) -> None:
        assert event["kind"] in (
            *("start", "aside", "shuffle", "turn", "draw", "hunt", "trophy", "dusk", "dawn"),
            *("last-turn", "skip", "score", "end"),
        )

    def on_lair(self, event):
        self.lair.append(event["card"])

    def on_location(self, event):
        self.table[event["slot"]] = event["location"]
        self.slayers[event["location"]] = []
        self.monsters[event["location"]] = []

    def on_slayer(self, event):
        row = self.slayers[event["location"]]
        assert event["position"] <= len(row) + 1
        row.insert(event["position"] - 1, [event["player"], event["card"], [], False])

    def on_monster(self, event):
        if event["source"] == "lair":
            self.lair.remove(event["card"])
        if event["side"] == "slayer":
            assert event["card"] == "mimic"
            row, card = self.slayers[event["location"]], [None, "mimic", [], False]
        else:
            row, card = self.monsters[event["location"]], [event["card"], []]
        row.append(card)
        assert event["position"] == len(row)

    def on_order(self, event):
        row = self.slayers[event["location"]]
        assert sorted(event["order"]) == list(range(1, len(row) + 1))
        self.slayers[event["location"]] = [row[position - 1] for position in event["order"]]

    def on_recall(self, event):
        token = [event["player"], event["token"]]
        (tokens,) = [tokens for tokens in self.tokens() if token in tokens]
        tokens.remove(token)

    def on_token(self, event):
        if event["effect"] == "rogue":
            card = self.slayers[event["location"]][event["position"] - 1]
            assert self.slayers[event["location"]][event["position"]][:2] == [
                *(event["player"], "rogue")
            ]
            tokens = card[2]
        else:
            tokens = self.monsters[event["location"]][event["position"] - 1][1]
        assert all([event["player"], event["token"]] not in there for there in self.tokens())
        tokens.append([event["player"], event["token"]])

    def on_curse(self, event):
        self.slayers[event["location"]][event["position"] - 1][3] = True

    def on_return(self, event):
        row = self.slayers[event["location"]]
        (place,) = [i for i, c in enumerate(row) if c[:2] == [event["player"], event["card"]]]
        assert place == {"hunt": 0, "swap": place}.get(event["reason"], len(row) - 1)
        del row[place]

    def on_discard(self, event):
        row = self.slayers[event["location"]]
        card = row.pop(0 if event["reason"] == "hunt" else -1)
        assert card[1] == event["card"] == "mimic"

    def on_glory(self, event):
        self.glory[event["player"]] += event["points"]

    def on_trophy_card(self, event):
        self.trophies[event["player"]].append(event["card"])

    def on_time(self, event):
        assert event["from"] == self.time < event["to"] or event["from"] == event["to"] == 24
        self.time = event["to"]

    def on_location_won(self, event):
        self.won[event["player"]].append(event["location"])
        self.monsters[event["location"]] = []

    def on_location_lost(self, event):
        self.lost.append(event["location"])
        self.monsters[event["location"]] = []

    def tokens(self):
        return [
            *(card[2] for row in self.slayers.values() for card in row),
            *(card[1] for row in self.monsters.values() for card in row),
        ]


def check(state: State, follower: Follower, cards: Counter[str]) -> None:
    """All that holds at a decision, and at the end."""
    position = state.to_dict()
    table = [slot for slot in position["table"] if slot["location"]]
    check_cards(position, cards)
    follower.follow(state.events)
    assert follower.table == {
        number: slot["location"] for number, slot in enumerate(position["table"])
    }
    for slot in table:
        assert follower.monsters[slot["location"]] == [
            [card["card"], card["tokens"]] for card in slot["monsters"]
        ]
        assert follower.slayers[slot["location"]] == [
            [card["owner"], card["card"], card["tokens"], card["cursed"]]
            for card in slot["slayers"]
        ]
    held = position["held"]
    held_from_lair = [held["card"]] if held and held["from"] == "lair" else []
    assert Counter(follower.lair) == Counter(position["lair"] + held_from_lair)
    assert follower.time == position["time"] <= 24
    assert position["last_turn"] == (position["time"] == 24)
    assert follower.glory == position["glory"]
    assert follower.won == position["location_trophies"]
    assert follower.trophies == [[card for card, _ in row] for row in position["monster_trophies"]]
    check_moment(state, position, table)


def check_cards(position: dict[str, Any], cards: Counter[str]) -> None:
    """Every card is in one place, and no token in two."""
    held = [position["held"]["card"]] if position["held"] else []
    on_table = [card for slot in position["table"] for card in slot["monsters"] + slot["slayers"]]
    found = Counter(card["card"] for card in on_table if card.get("owner") is None)
    found.update(position["monster_deck"] + position["lair"])
    found.update(card for card in held if card in MONSTERS)
    found.update(card for card, _ in position["monster_discard"])
    found.update(card for row in position["monster_trophies"] for card, _ in row)
    assert found == cards
    places = [slot["location"] for slot in position["table"]] + position["location_deck"]
    places += position["location_discard"]
    places += [name for names in position["location_trophies"] for name in names]
    assert sorted(places) == sorted(LOCATIONS)
    for player, hand in enumerate(position["hands"]):
        away = [card["card"] for card in on_table if card.get("owner") == player]
        if player == position["active"]:
            away += [card for card in held if card in SLAYERS]
        assert sorted(hand + away) == sorted(SLAYERS)
        assert hand == [name for name in SLAYERS if name in hand]
    tokens = [tuple(token) for card in on_table for token in card["tokens"]]
    assert len(set(tokens)) == len(tokens)
    for number, names in enumerate(position["hunts"]):
        of_hunt = Counter(
            card
            for row in (*position["monster_trophies"], position["monster_discard"])
            for card, hunt in row
            if hunt == number
        )
        assert of_hunt <= Counter(names)


def check_moment(state: State, position: dict[str, Any], table: list[dict[str, Any]]) -> None:
    """The phase, and what is to be seen on the table in it."""
    phase, step, active = position["phase"], position["step"], position["active"]
    over = phase == "over"
    assert state.current_players() == (() if over else (active,))
    if not over:
        assert len(state.legal_actions(active)) > 1
    assert step in (1, 2, 3) or phase in ("curse", "over")
    played = position["slayers_played"] + position["monsters_played"]
    skipped = sum(event["kind"] == "skip" for event in state.events[last(state.events, "turn") :])
    if phase in ("card", "place", "swap"):
        assert played == step - 1 - skipped
    elif phase != "over":
        assert played == min(step, 3) - skipped
    assert sum(slot["used"] for slot in table) <= played
    views = state.observation(None)["table"]
    if phase in ("card", "place"):
        for view in views:
            assert len(view["monsters"]) < view["threshold"]
            assert len(view["slayers"]) <= view["spaces"]
    if (phase == "card" and step == 1) or over:
        none_left = not position["monster_deck"] and not position["monster_discard"]
        assert len(position["lair"]) == 3 or none_left
        assert all(slot["monsters"] for slot in table) or none_left
    if over:
        check_end(state, position)


def last(events: list[dict[str, Any]], kind: str) -> int:
    """The number of the last event of the kind, -1 if there is none."""
    return max((i for i, event in enumerate(events) if event["kind"] == kind), default=-1)


def check_end(state: State, position: dict[str, Any]) -> None:
    assert position["last_turn"] or not position["monsters_played"]
    scores = [
        glory + sum(TREASURES[card] for card, _ in row)
        for glory, row in zip(position["glory"], position["monster_trophies"], strict=True)
    ]
    assert state.scores() == scores
    assert [e["score"] for e in state.events if e["kind"] == "score"] == scores
    assert state.events[-1]["ranks"] == state.ranks()


def start(number: int, rng: random.Random) -> State:
    """A deal with 2 to 5 players, often with all but a few cards of the monster deck taken out."""
    state = GAME.new_initial_state(2 + number % 4, f"{rng.getrandbits(256):064x}")
    if number // 4 % 2:
        position = state.to_dict()
        position["monster_deck"] = position["monster_deck"][: rng.randrange(1, 16)]
        state = GAME.state_from_dict(position)
    return state


def play(number: int) -> Counter[str]:
    """A random play, checked at every decision; how often each kind of event came up in it."""
    rng = random.Random(number)
    state = start(number, rng)
    cards = monsters_of(state)
    follower = Follower(state.players)
    check(state, follower, cards)
    decisions = 0
    while not state.is_terminal():
        player = state.current_players()[0]
        state.apply_action(player, rng.choice(state.legal_actions(player)))
        check(state, follower, cards)
        decisions += 1
        assert decisions < 1000
    counts = Counter(
        event["kind"] + (" " + event["reason"] if "reason" in event else "")
        for event in state.events
    )
    counts["decisions"] = decisions
    return counts


def monsters_of(state: State) -> Counter[str]:
    """All monsters that are there after the deal."""
    position = state.to_dict()
    cards = Counter(position["monster_deck"] + position["lair"])
    cards.update(card["card"] for slot in position["table"] for card in slot["monsters"])
    return cards


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plays", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first play")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    for number in range(args.first, args.first + args.plays):
        counts += play(number)
    print(f"{args.plays} plays keep all that must hold")
    for kind, count in sorted(counts.items()):
        print(f"  {kind:<18}{count / args.plays:10.2f} a play")


if __name__ == "__main__":
    main()
