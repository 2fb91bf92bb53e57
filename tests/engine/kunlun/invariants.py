"""What holds at every decision of every play, checked from the position and from the events.

    python3 -m tests.engine.kunlun.invariants [--plays 2000] [--first 0]

plays random plays with 2, 3 and 4 players and all options in turn: a third uniformly, a third
without abstaining, and a third with mostly the first legal action, which gets through the waves.
"""

import argparse
import json
import random
from collections import Counter
from typing import Any

from engine.contract import State, may_see
from tests.engine.kunlun.positions import (
    ARTIFACTS,
    CARDS,
    CLANS,
    CREATURES,
    GAME,
    LORDS,
    MEDITATIONS,
    MIASMAS,
    SERVANTS,
    SPELLS,
    in_order,
)

MOST_DECISIONS = 5000


class Follower:
    """The table as a spectator knows it who is told every event and sees nothing else."""

    def __init__(self, players: int) -> None:
        self.told = 0
        self.isles = Counter({name: CARDS[name] for name in (*MEDITATIONS, *SPELLS)})
        self.isles["diligence"] -= 5 * players
        self.servants = Counter({name: CARDS[name] for name in (*SERVANTS, *CREATURES)})
        self.lords = Counter({name: CARDS[name] for name in LORDS})
        self.artifacts = Counter({name: CARDS[name] for name in ARTIFACTS})
        self.miasmas = Counter({name: CARDS[name] for name in MIASMAS})
        self.abyss: Counter[str] = Counter()
        self.gone: Counter[str] = Counter()
        self.zone: Counter[str] = Counter()
        self.lord: str | None = None
        self.open: list[str] = []
        self.wave = 0
        self.round = 1
        self.action = ""
        self.seats = [_Seat() for _ in range(players)]

    def follow(self, events: list[dict[str, Any]]) -> None:
        for event in events[self.told :]:
            if may_see(event, None):
                seat = self.seats[event["player"]] if "player" in event else None
                getattr(self, f"on_{event['kind']}")(event, seat)
        self.told = len(events)

    def on_setup(self, event, seat):
        for seat_, clan in zip(self.seats, event["clans"], strict=True):
            seat_.take_clan(clan)

    def on_clan(self, event, seat):
        seat.take_clan(event["clan"])

    def on_action(self, event, seat):
        self.action = event["action"]
        if self.action == "end turn":
            seat.put_down()
        elif self.action == "abstain":
            seat.abstains = True

    def on_turn(self, event, seat):
        seat.hand = Counter(event["hand"])
        seat.unseen -= seat.hand
        seat.shown = True
        self.round = event["round"]

    def on_shuffle(self, event, seat):
        seat.end_abstaining()
        assert event["count"] == seat.waiting.total()
        seat.unseen += seat.waiting
        seat.ready_count += event["count"]
        seat.waiting = Counter()

    def on_draw(self, event, seat):
        seat.end_abstaining()
        seat.ready_count -= event["count"]
        seat.hand_count += event["count"]

    def on_cards(self, event, seat):
        """Only what was drawn in the own turn is public."""
        seat.hand.update(event["cards"])
        seat.unseen.subtract(event["cards"])

    def on_wave(self, event, seat):
        self.wave = event["wave"]
        self.lord = event["lord"]
        self.lords[event["lord"]] -= 1
        self.zone = Counter(event["zone"])
        assert self.zone.total() == 8
        self.servants.subtract(event["zone"])

    def on_miasma(self, event, seat):
        assert seat.hand[event["card"]]
        if event["result"] == "settles":
            seat.leave_hand(event["card"])
            seat.regalia[event["card"]] += 1

    def on_discard(self, event, seat):
        card = event["card"]
        if self.action.startswith("chisel"):
            seat.regalia[card] -= 1
        else:
            seat.leave_hand(card)
        home = {"isles": self.isles, "list": seat.list, "abyss": self.abyss}[event["to"]]
        home[card] += 1

    def on_lose(self, event, seat):
        assert event["amount"] > 0
        seat.tokens -= event["amount"]

    def on_displace(self, event, seat):
        seat.regalia[event["card"]] -= 1
        seat.waiting[event["card"]] += 1

    def on_place(self, event, seat):
        seat.leave_hand(event["card"])
        seat.regalia[event["card"]] += 1

    def on_muster(self, event, seat):
        seat.unseen[event["card"]] -= 1
        seat.ready_count -= 1
        if event["kept"]:
            seat.take_into_hand(event["card"])
        else:
            seat.waiting[event["card"]] += 1

    def on_call(self, event, seat):
        seat.unseen[event["card"]] -= 1
        seat.ready_count -= 1
        seat.take_into_hand(event["card"])

    def on_use(self, event, seat):
        self.on_displace(event, seat)

    def on_burn(self, event, seat):
        seat.leave_hand(event["card"])
        (seat.list if event["to"] == "list" else seat.waiting)[event["card"]] += 1

    def on_slay(self, event, seat):
        card = event["card"]
        seat.tokens += event["reward"]
        if card == self.lord:
            self.lord = None
        else:
            self.zone[card] -= 1
        if card not in CREATURES:
            seat.trophies[card] += 1

    def on_sweep(self, event, seat):
        assert self.zone == Counter(event["cards"] + event["leaves"])
        seat.tokens += event["reward"]
        seat.trophies.update(event["cards"])
        self.gone.update(event["leaves"])
        self.zone = Counter()

    def on_creature(self, event, seat):
        seat.creature = event["joins"]
        if event["leaves"] is not None:
            self.gone[event["leaves"]] += 1

    def on_infect(self, event, seat):
        self.miasmas[event["card"]] -= 1
        seat.waiting[event["card"]] += 1

    def on_acquire(self, event, seat):
        card = event["card"]
        (seat.list if card in seat.list else self.isles)[card] -= 1
        seat.waiting[card] += 1
        seat.tokens -= event["development"]

    def on_alchemy(self, event, seat):
        self.open = event["cards"]
        self.artifacts.subtract(self.open)

    def on_pay(self, event, seat):
        seat.tokens -= event["price"]
        self.close(event["card"], seat, gained=True)

    def on_roll(self, event, seat):
        seat.tokens -= event["stake"]
        self.close(event["card"], seat, gained=event["gained"])

    def close(self, card, seat, *, gained):
        self.artifacts.update(self.open)
        if gained:
            self.artifacts[card] -= 1
            seat.waiting[card] += 1

    def on_end(self, event, seat):
        for seat_ in self.seats:
            seat_.end_abstaining()

    def check(self, view: dict[str, Any]) -> None:
        """The spectator's observation says the same."""
        assert view["isles"] == {name: self.isles[name] for name in (*MEDITATIONS, *SPELLS)}
        for deck in ("servants", "lords", "artifacts", "miasmas"):
            assert view["decks"][deck] == _some(getattr(self, deck))
        assert view["abyss"] == _some(self.abyss)
        assert view["gone"] == _some(self.gone)
        assert [enemy["card"] for enemy in view["zone"]] == in_order(self.zone.elements())
        assert (view["lord"] or {}).get("card") == self.lord
        assert (view["wave"], view["round"]) == (self.wave, self.round)
        for seat, seen in zip(self.seats, view["seats"], strict=True):
            seat.check(seen)


class _Seat:
    def __init__(self) -> None:
        self.clan: str | None = None
        self.list: Counter[str] = Counter()
        self.regalia: Counter[str] = Counter()
        self.creature: str | None = None
        self.trophies: Counter[str] = Counter()
        self.waiting: Counter[str] = Counter()
        self.hand: Counter[str] = Counter()
        self.unseen: Counter[str] = Counter()
        self.shown = False
        self.abstains = False
        self.ready_count = self.hand_count = self.tokens = 0

    def take_clan(self, clan: str | None) -> None:
        self.clan = clan
        if clan is not None:
            self.list = Counter({name: CARDS[name] for name in CLANS[clan]})
            disciple = CLANS[clan][0]
            self.list[disciple] -= 2
            self.unseen = Counter({disciple: 2, "diligence": 5})
            self.ready_count = 7

    def take_into_hand(self, card: str) -> None:
        self.hand[card] += 1
        self.hand_count += 1

    def leave_hand(self, card: str) -> None:
        self.hand[card] -= 1
        self.hand_count -= 1
        assert self.hand[card] >= 0

    def put_down(self) -> None:
        self.waiting += self.hand
        self.hand = Counter()
        self.hand_count = 0
        self.shown = False

    def end_abstaining(self) -> None:
        if self.abstains:
            self.put_down()
            self.abstains = False

    def check(self, seen: dict[str, Any]) -> None:
        assert (seen["clan"], seen["tokens"]) == (self.clan, self.tokens)
        assert seen["list"] == {name: self.list[name] for name in seen["list"]}
        assert set(seen["list"]) == (set(CLANS[self.clan]) if self.clan else set())
        assert seen["regalia"] == in_order(self.regalia.elements())
        assert seen["creature"] == self.creature
        assert seen["trophies"] == _some(self.trophies)
        assert seen["waiting"] == _some(self.waiting)
        assert (seen["ready_count"], seen["hand_count"]) == (self.ready_count, self.hand_count)
        assert seen["hand"] == (in_order(self.hand.elements()) if self.shown else None)
        assert seen["unseen"] == _some(self.unseen)


def _some(counts: Counter[str]) -> dict[str, int]:
    """The cards that occur."""
    assert min(counts.values(), default=0) >= 0
    return {name: count for name, count in counts.items() if count}


def check_position(d: dict[str, Any]) -> None:
    """What must hold of any position of a play, from the rules page alone."""
    found: Counter[str] = Counter(d["isles"])
    for zone in ("zone", "servants", "lords", "artifacts", "miasmas", "abyss", "gone"):
        found.update(d[zone])
    found.update([d["lord"]] if d["lord"] else [])
    for step in d["pending"]:
        found.update(step.get("cards", []))
        found.update([step["card"]] if step["kind"] == "creature" else [])
    for seat in d["seats"]:
        found.update(seat["list"])
        for zone in ("ready", "hand", "waiting", "regalia", "trophies"):
            found.update(seat[zone])
            assert zone == "ready" or seat[zone] == in_order(seat[zone])
        found.update([seat["creature"]] if seat["creature"] else [])
        assert seat["tokens"] >= 0
        assert not Counter(seat["sure"]) - Counter(seat["hand"])
        placed = [name for name in seat["regalia"] if name in ARTIFACTS]
        assert len(seat["regalia"]) <= 3
        assert len(placed) == len(set(placed))
    clans = [seat["clan"] for seat in d["seats"] if seat["clan"]]
    missing = Counter({name: CARDS[name] for clan in CLANS for name in CLANS[clan]})
    missing.subtract({name: CARDS[name] for clan in clans for name in CLANS[clan]})
    missing["diligence"] = 5 * (d["players"] - len(clans))
    assert found + missing == Counter(CARDS)
    assert d["lords"][:1] in ([], ["supreme-villain"])
    now = d["now"]
    assert d["round"] <= 100
    assert d["wave"] <= 7
    assert d["quiet"] <= 15
    assert now["from_isles"] <= 2
    assert now["twins"] <= 2
    hand = Counter(d["seats"][d["turn"]]["hand"])
    assert all(0 < count <= hand[name] for name, count in now["turned"].items())
    assert now["used"] == in_order(set(now["used"]))
    if d["phase"] not in ("abstain", "action"):
        assert d["pending"] == []
        assert set(map(str, now.values())) == {"0", "False", "{}", "[]"}


def options_of(number: int, players: int) -> dict[str, Any]:
    """All kinds of options in turn."""
    clans = ("random", "choose", ",".join(list(CLANS)[:players]))
    return {
        "clans": clans[number // 9 % 3],
        "first": ["random", number % players][number // 27 % 2],
    }


def play(number: int) -> Counter[str]:
    """Play the play of that number, checking it at every decision; how often what came up."""
    rng = random.Random(number)
    players = 2 + number % 3
    how = number // 3 % 3
    state = GAME.new_initial_state(players, f"{number:064x}", options_of(number, players))
    follower = Follower(players)
    counts: Counter[str] = Counter()
    for step in range(MOST_DECISIONS):
        follower.follow(state.events)
        follower.check(state.observation(None))
        check_position(state.to_dict())
        if step % 100 == 0 or state.is_terminal():
            _check_round_trip(state)
        if state.is_terminal():
            break
        (player,) = state.current_players()
        legal = state.legal_actions(player)
        if how == 1 and "abstain" in legal:
            legal = ["proceed"]
        first = how == 2 and rng.random() < 0.8
        state.apply_action(player, legal[0] if first else rng.choice(legal))
        counts["decisions"] += 1
    assert state.is_terminal(), f"no end after {MOST_DECISIONS} decisions"
    counts.update(event["kind"] for event in state.events)
    end = state.events[-1]
    counts[f"end {end['reason']}"] += 1
    counts["rounds"] += state.observation(None)["round"]
    _check_end(state, end)
    return counts


def _check_round_trip(state: State) -> None:
    d = json.loads(json.dumps(state.to_dict()))
    assert GAME.state_from_dict(d).to_dict() == d


def _check_end(state: State, end: dict[str, Any]) -> None:
    view = state.observation(None)
    assert (end["scores"], end["ranks"]) == (state.scores(), state.ranks())
    assert end["ranks"].count(1) == 1
    last = (view["turn"] + 1) % state.players == view["first"]
    if end["reason"] == "waves":
        assert (view["wave"], view["lord"], view["zone"]) == (7, None, [])
    else:
        assert last
        assert (view["round"] == 100) == (end["reason"] == "rounds")
        assert end["reason"] == "rounds" or view["quiet"] == 15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plays", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first play")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    longest = rounds = 0
    for number in range(args.first, args.first + args.plays):
        found = play(number)
        longest = max(longest, found["decisions"])
        rounds = max(rounds, found["rounds"])
        counts += found
    print(f"{args.plays} plays kept everything")
    print(f"decisions: {counts['decisions'] / args.plays:.0f} on average, {longest} at most")
    print(f"rounds: {counts['rounds'] / args.plays:.1f} on average, {rounds} at most")
    for name, count in sorted(counts.items()):
        print(f"  {name:<14} {count:>9,}")


if __name__ == "__main__":
    main()
