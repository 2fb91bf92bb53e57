"""The battle as one player sees it, and guesses of what the others will put down.

The others' hands are partly known: heroes that they recruited in the open. The rest is dealt at
random from the cards that have not been seen, many times over.
"""

import random

from cards import COPIES, HEROES, MONSTERS, TYPES, bonus, power

SAMPLES = 30
EAGERNESS = 0.55  # how likely another player is to fight for a treasure of 7 points
PER_POINT = 0.05


class Battle:
    """Who has put down what, and who may still put down what. A seat is a number."""

    def __init__(self, observation, prize, dice):
        self.seats = observation["seats"]
        self.players = observation["players"]
        self.you = observation["you"]
        self.others = [seat for seat in range(self.players) if seat != self.you]
        self.placement, self.steps = MONSTERS[observation["row"][0]["monster"]]
        self.step = observation["step"]
        self.passed = observation["passed"]
        start = observation["start"]
        self.turn = {(start + turn) % self.players: turn for turn in range(self.players)}
        self.eagerness = min(0.95, max(0.1, EAGERNESS + PER_POINT * (prize - 7)))
        self.bonus = {
            (number, of_type): bonus(seat, of_type)
            for number, seat in enumerate(self.seats)
            for of_type in TYPES
        }
        self.dice = dice
        self._unseen = unseen_heroes(observation)

    def deal(self):
        """Hands that the others may hold, by seat."""
        hidden = {s: self.seats[s]["hand_count"] - len(self.seats[s]["known"]) for s in self.others}
        drawn = self.dice.sample(self._unseen, min(sum(hidden.values()), len(self._unseen)))
        hands = {}
        for seat, count in hidden.items():
            hands[seat] = self.seats[seat]["known"] + drawn[:count]
            drawn = drawn[count:]
        return hands

    # ------------------------------------------------------------ slots and values

    def slots_left(self, seat):
        """The slots that a seat has not had its turn for, as (mode, type)."""
        mode, slots = self.steps[self.step]
        if mode == "turn" and seat == self.you:
            done = [card for card in self.seats[seat]["played"] if card["step"] == self.step]
            slots = slots[len(done) :]
        elif mode != "together" and self.turn[seat] < self.turn[self.you]:
            slots = ()
        later = [
            (mode, of_type) for mode, slots in self.steps[self.step + 1 :] for of_type in slots
        ]
        return [(mode, of_type) for of_type in slots] + later

    def powers_down(self, seat):
        return [card["power"] for card in self.seats[seat]["played"]]

    def has_skipped(self, seat):
        """Whether a seat has left a slot empty so far."""
        all_slots = sum(len(slots) for _, slots in self.steps)
        due = all_slots - len(self.slots_left(seat))
        return len(self.seats[seat]["played"]) < due

    def key(self, seat, powers, skipped):
        """What decides the placement, as one number: the value, then the turn order."""
        return self._value(powers, skipped) * self.players - self.turn[seat]

    def _value(self, powers, skipped):
        if self.placement == "total-power":
            return sum(powers)
        return 0 if skipped else min(powers)

    # ------------------------------------------------------------ guesses

    def their_keys(self):
        """The others' keys at the end of the battle, for each sample."""
        plans = [
            (seat, self.slots_left(seat), self.powers_down(seat), self.has_skipped(seat))
            for seat in self.others
        ]
        return [
            [self._their_key(hands[seat], seat, *rest) for seat, *rest in plans]
            for hands in (self.deal() for _ in range(SAMPLES))
        ]

    def _their_key(self, hand, seat, slots, down, skipped):
        eagerness = 0.9 if any(down) else self.eagerness * (0.5 if skipped else 1)
        if not slots or self.dice.random() > eagerness:
            return self.key(seat, down, skipped or bool(slots))
        powers = list(down)
        for mode, of_type in slots:
            column = TYPES.index(of_type)
            fitting = sorted(
                (c for c in hand if HEROES[c][column]), key=lambda c: HEROES[c][column]
            )
            count = self.dice.randrange(4) if mode == "any number" else 1
            skipped = skipped or not fitting
            if mode != "any number" and len(fitting) > 1 and self.dice.random() < 0.3:
                fitting.pop()  # not always the strongest
            for card in fitting[-count:] if count else []:
                powers.append(power(card, of_type, self.bonus[seat, of_type]))
                hand.remove(card)
        return self.key(seat, powers, skipped)

    def their_staying(self):
        """Round and round: how many heroes more each seat will play, for each sample."""
        column = TYPES.index(self.steps[0][1][0])
        active = [seat for seat in self.others if seat not in self.passed]
        samples = []
        for _ in range(SAMPLES):
            hands = self.deal()
            counts = [sum(1 for card in hands[seat] if HEROES[card][column]) for seat in active]
            samples.append(
                [
                    n if self.dice.random() < self.eagerness else self.dice.randint(0, n)
                    for n in counts
                ]
            )
        return samples


def unseen_heroes(observation):
    """Heroes in the deck or hidden in the others' hands."""
    left = COPIES | {"princess": observation["options"]["princesses"]}
    seen = observation["hand"] + observation["hero_discard"] + observation["display"]
    seen += ["princess"] * observation["attached"]
    sealed = observation["sealed"] or {"card": None, "princesses": 0}
    seen += ["princess"] * sealed["princesses"]
    for number, seat in enumerate(observation["seats"]):
        seen += [] if number == observation["you"] else seat["known"]
        for card in seat["played"]:
            seen += [card["card"]] + ["princess"] * card["princesses"]
    for card in seen:
        left[card] -= 1
    return [card for card, count in left.items() for _ in range(count)]


def dice_of(info, observation):
    """Chance of the bot's own, the same for the same decision; nothing is kept between them."""
    moment = (observation["round"], observation["step"], len(observation["hand"]))
    return random.Random(f"{info['random_seed']} {moment}")
