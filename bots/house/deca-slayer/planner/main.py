"""Planner: fights when a treasure is worth the heroes that it takes.

Treasures and heroes are valued in victory points (`worth.py`). For a battle it guesses how the
others fare (`battle.py`), and then takes the play with the best outlook: the treasure or none, the
heroes to be recruited at that rank, and the hand that is left.
"""

from itertools import combinations

from battle import Table, dice_of
from cards import POINTS, bonus, power
from handicap import handicapped
from slayer import run
from worth import Purse


def choose(observation, legal_actions, info):
    """One decision: the observation says what it is about in `phase`."""
    if len(legal_actions) == 1:
        return legal_actions[0]
    decide = PHASES[observation["phase"]]
    return decide(observation, legal_actions, info)


# ---------------------------------------------------------------- battle


class Outlook:
    """What each rank is worth to me, with a given hand left over."""

    def __init__(self, observation, purse):
        self.purse = purse
        self.players = observation["players"]
        self.last = observation["round"] == 10
        hand = observation["hand"]
        worths = sorted(purse.treasure(t, hand) for t in observation["row"][0]["open"])
        self.prizes = [0.0] * (self.players + 1)
        self.prizes[1] = worths[1]
        self.prizes[2] = worths[0]
        if observation["row"][0]["monster"] == "dragon":
            self.prizes[1] += POINTS["dragon"]
        display = sorted(map(purse.hero, observation["display"]), reverse=True)
        for rank in range(1, self.players + 1):
            picks = self.picks(rank)
            gone = sum(self.picks(worse) for worse in range(rank + 1, self.players + 1))
            self.prizes[rank] += sum(display[gone : gone + picks])

    @staticmethod
    def picks(rank):
        return 1 if rank <= 2 else 2

    def at(self, rank, left):
        return self.prizes[rank] + self.purse.hand(left, self.picks(rank))

    def by_rank(self, left):
        return [0.0, *(self.at(rank, left) for rank in range(1, self.players + 1))]


def play(observation, legal_actions, info):
    purse = Purse(observation)
    outlook = Outlook(observation, purse)
    table = Table(
        observation, max(outlook.prizes[1], outlook.prizes[2]), dice_of(info, observation)
    )
    mode, _ = table.steps[table.step]
    if mode == "round and round":
        return stay_or_pass(observation, legal_actions, table, outlook)
    samples = table.their_keys()
    best, best_value = None, -1e9
    expected = {}
    for first, powers, missed, spent in my_plans(observation, legal_actions, table):
        left = list(observation["hand"])
        for card in spent:
            left.remove(card)
        key = table.key(table.value(table.powers_down(table.you) + powers, missed), table.you)
        if key not in expected:
            counts = [0] * (table.players + 1)
            for keys in samples:
                counts[1 + sum(other > key for other in keys)] += 1
            expected[key] = counts
        values = outlook.by_rank(left)
        value = sum(c * v for c, v in zip(expected[key], values, strict=True)) / len(samples)
        if value > best_value + 1e-9:
            best, best_value = first, value
    return best


def my_plans(observation, legal_actions, table):
    """My ways through the rest of the battle: (first action, powers, slot missed, cards spent)."""
    seat = table.seats[table.you]
    slots = table.slots_left(table.you)
    missed = table.slots_missed(table.you)
    hand = observation["hand"]
    plans = [([], missed, [], None)]  # powers, missed, spent, first action
    for number, (mode, of_type) in enumerate(slots):
        added = bonus(seat, of_type)
        grown = []
        for powers, missed_so_far, spent, first in plans:
            left = list(hand)
            for card in spent:
                left.remove(card)
            for cards in ways(mode, of_type, left, now=number == 0):
                action = first if number else (f"play {cards[0]}" if cards else "pass")
                if number == 0 and action not in legal_actions:
                    continue
                grown.append(
                    (
                        powers + [power(card, of_type, added) for card in cards],
                        missed_so_far or (not cards and mode in ("turn", "together")),
                        spent + list(cards),
                        action,
                    )
                )
        plans = grown
    for powers, missed_at_end, spent, first in plans:
        yield first, powers, missed_at_end, spent


def ways(mode, of_type, left, now):
    """Cards to put down in one slot."""
    fitting = sorted({c for c in left if power(c, of_type)})
    if mode == "any number":
        all_fitting = sorted(
            (c for c in left if power(c, of_type)), key=lambda c: -power(c, of_type)
        )
        if now:
            for count in range(len(all_fitting) + 1):
                yield from dict.fromkeys(combinations(all_fitting, count))
        else:
            yield from (tuple(all_fitting[:k]) for k in range(min(len(all_fitting), 3) + 1))
        return
    yield ()
    for card in fitting:
        yield (card,)
    if now:
        yield from ((card,) for card in sorted(set(left) - set(fitting)))


def stay_or_pass(observation, legal_actions, table, outlook):
    """Continuous play: how many cards more to put in, at most."""
    of_type = table.steps[0][1][0]
    mine = sorted((c for c in observation["hand"] if power(c, of_type)), key=outlook.purse.hero)
    samples = table.their_staying()
    best, best_value = 0, None
    for most in range(len(mine) + 1):
        total = 0.0
        for staying in samples:
            rank = 1 + sum(1 for n in staying.values() if n >= most)
            if rank == 1:  # I stay until the last of them is out
                used = max(staying.values(), default=0)
            else:
                used = most
            left = list(observation["hand"])
            for card in mine[:used]:
                left.remove(card)
            total += outlook.at(rank, left)
        value = total / len(samples)
        if best_value is None or value > best_value:
            best, best_value = most, value
    return f"play {mine[0]}" if best else "pass"


# ---------------------------------------------------------------- the rest of a round


def treasure(observation, legal_actions, info):
    purse = Purse(observation)
    hand = observation["hand"]
    return max(legal_actions, key=lambda a: purse.treasure(a.removeprefix("take "), hand))


def recruit(observation, legal_actions, info):
    purse = Purse(observation)
    return max(legal_actions, key=lambda a: purse.hero(a.removeprefix("recruit ")))


def discard(observation, legal_actions, info):
    purse = Purse(observation)
    return min(legal_actions, key=lambda a: purse.hero(a.removeprefix("discard ")))


def take_back(observation, legal_actions, info):
    return legal_actions[-1]


def outrank(observation, legal_actions, info):
    return "outrank"


def exchange(observation, legal_actions, info):
    return "pass"


def transmute(observation, legal_actions, info):
    return "pass"


PHASES = {
    "play": play,
    "take-back": take_back,
    "outrank": outrank,
    "treasure": treasure,
    "curse": discard,
    "recruit": recruit,
    "exchange": exchange,
    "limit": discard,
    "alchemy": transmute,
}


if __name__ == "__main__":
    run(handicapped(choose))
