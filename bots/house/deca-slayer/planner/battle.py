"""Which rank a play of mine is likely to reach, by dealing the others' hidden cards many times."""

import random

from cards import HEROES, MONSTERS, TYPES, bonus, power

SAMPLES = 30
EAGERNESS = 0.55  # how likely another seat is to fight for treasures of usual worth
COPIES = {"guild-master": 6, "jester": 6, "priest": 4, "cleric": 4} | dict.fromkeys(
    ("sword-master", "paladin", "knight", "sniper", "ninja", "assassin", "archmage"), 2
)


class Table:
    """The battle as I see it: what everybody has put down, what they may still put down."""

    def __init__(self, observation, prize, dice):
        self.seats = observation["seats"]
        self.you = observation["you"]
        self.players = observation["players"]
        self.placement, self.steps = MONSTERS[observation["row"][0]["monster"]]
        self.step = observation["step"]
        self.passed = observation["passed"]
        self.dice = dice
        start = observation["start"]
        self.order = [(start + turn) % self.players for turn in range(self.players)]
        self.others = [seat for seat in range(self.players) if seat != self.you]
        self.eagerness = min(0.95, max(0.1, EAGERNESS + 0.05 * (prize - 7)))
        self._unseen = self._count_unseen(observation)

    def _count_unseen(self, observation):
        """Heroes that lie in the deck or hidden in the others' hands."""
        left = {card: COPIES.get(card, 3) for card in HEROES}
        left["princess"] = observation["options"]["princesses"]
        seen = [*observation["hand"], *observation["hero_discard"], *observation["display"]]
        for seat in self.seats:
            seen += seat["known"] if seat is not self.seats[self.you] else []
            for card in seat["played"]:
                seen += [card["card"]] + ["princess"] * card["princesses"]
        for card in seen:
            left[card] -= 1
        return [card for card, count in left.items() for _ in range(count)]

    def deal(self):
        """Hands that the others may hold: what is known of them, the rest at random."""
        hidden = {s: self.seats[s]["hand_count"] - len(self.seats[s]["known"]) for s in self.others}
        drawn = self.dice.sample(self._unseen, min(sum(hidden.values()), len(self._unseen)))
        hands = {}
        for seat, count in hidden.items():
            hands[seat] = self.seats[seat]["known"] + drawn[:count]
            drawn = drawn[count:]
        return hands

    def slots_left(self, seat):
        """The slots that a seat has not had its turn for, as (mode, type)."""
        mode, slots = self.steps[self.step]
        done = [card for card in self.seats[seat]["played"] if card["step"] == self.step]
        before_me = self.order.index(seat) < self.order.index(self.you)
        now = []
        if mode in ("together", "round and round"):
            now = [(mode, of_type) for of_type in slots]
        elif seat == self.you or not before_me:
            now = [(mode, of_type) for of_type in slots[len(done) if len(slots) > 1 else 0 :]]
        later = [
            (mode, of_type) for mode, slots in self.steps[self.step + 1 :] for of_type in slots
        ]
        return now + later

    def powers_down(self, seat):
        return [card["power"] for card in self.seats[seat]["played"]]

    def slots_missed(self, seat):
        """Whether a seat has left a required slot empty."""
        needed = sum(len(slots) for _, slots in self.steps) - len(self.slots_left(seat))
        return len(self.seats[seat]["played"]) < needed

    def value(self, powers, missed):
        """What counts for the placement."""
        if self.placement == "total-power":
            return sum(powers)
        return 0 if missed or not powers else min(powers)

    def key(self, value, seat):
        """Values and the turn order among equal ones, as one number."""
        return value * self.players - self.order.index(seat)

    def their_keys(self):
        """For each sample the others' keys, under the guess that some of them fight."""
        plans = [
            (seat, self.slots_left(seat), self.powers_down(seat), self.slots_missed(seat))
            for seat in self.others
        ]
        return [
            [
                self.key(self._their_value(seat, hands[seat], slots, down, missed), seat)
                for seat, slots, down, missed in plans
            ]
            for hands in (self.deal() for _ in range(SAMPLES))
        ]

    def _their_value(self, seat, hand, slots, down, missed):
        if not slots or (missed and self.placement == "highest-minimum"):
            return self.value(down, missed)
        eagerness = 0.9 if any(down) else self.eagerness * (0.5 if missed else 1)
        if self.dice.random() > eagerness:
            return self.value(down, True)
        powers = list(down)
        hand = list(hand)
        owner = self.seats[seat]
        for mode, of_type in slots:
            added = bonus(owner, of_type)
            fitting = sorted(
                (c for c in hand if power(c, of_type)), key=lambda c: power(c, of_type)
            )
            if mode == "any number":
                count = min(len(fitting), self.dice.randrange(4))
            else:
                count = min(len(fitting), 1)
                missed = missed or not fitting
            if count == 1 and len(fitting) > 1 and self.dice.random() < 0.3:
                fitting.pop()  # not always the strongest
            for card in fitting[len(fitting) - count :]:
                powers.append(power(card, of_type, added))
                hand.remove(card)
        return self.value(powers, missed)

    def their_staying(self):
        """Continuous play: for each sample, how many cards more each other seat would play."""
        of_type = self.steps[0][1][0]
        column = TYPES.index(of_type)
        active = [seat for seat in self.others if seat not in self.passed]
        result = []
        for _ in range(SAMPLES):
            hands = self.deal()
            staying = {}
            for seat in active:
                cards = sum(1 for card in hands[seat] if HEROES[card][column])
                if self.dice.random() > self.eagerness:
                    cards = self.dice.randrange(cards + 1)
                staying[seat] = cards
            result.append(staying)
        return result


def dice_of(info, observation):
    """Chance of my own, the same for the same decision: nothing is kept between decisions."""
    hand = len(observation["hand"])
    return random.Random(
        f"{info['random_seed']} {observation['round']} {observation['step']} {hand}"
    )
