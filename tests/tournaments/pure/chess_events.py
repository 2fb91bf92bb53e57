"""Swiss tournaments of chess rules, played by lot and reported as a chess federation takes them."""

import random

from tournaments.pairing import CannotDraw
from tournaments.pairing.fide_dutch import Game, PastRound, draw


def seed(number):
    return f"{number:064x}"


class Event:
    """A tournament with forfeits, byes, absences, late entries and withdrawals, played by lot."""

    def __init__(self, number):
        self.rng = random.Random(number)
        self.number = number
        self.field = self.rng.sample(range(1000), self.rng.randrange(6, 14))
        self.rounds = self.rng.randrange(3, 6)
        self.late = set(self.rng.sample(self.field, self.rng.randrange(2)))
        self.gone, self.past, self.colour = set(), [], None

    def here(self):
        late = self.late if not self.past else set()
        return set(self.field) - self.gone - late

    def draw(self, here, **change):
        options = {"field": self.field, "rounds": self.rounds} | change
        return draw(here, self.past, seed(self.number), **options)

    def play(self):
        """One round; False when the rules allow no pairing any more."""
        away = {e for e in self.here() if self.rng.random() < 0.04}
        here = self.here() - away
        try:
            drawn = self.draw(here)
        except CannotDraw:
            return False
        games = []
        for first, second in drawn.tables:
            fate = self.rng.random()
            if fate < 0.06:
                games.append(Game(first, second, self.rng.choice((0, 1, None)), played=False))
            else:
                games.append(Game(first, second, self.rng.choice((0, 0.5, 1))))
        assert {e for table in drawn.tables for e in table} | set(drawn.byes) == here
        if not self.past and games:
            top = min(drawn.tables, key=lambda pair: min(map(self.field.index, pair)))
            self.colour = "W" if self.field.index(top[0]) < self.field.index(top[1]) else "B"
        self.past.append(PastRound(tuple(games), drawn.byes))
        if self.rng.random() < 0.2:
            self.gone.add(self.rng.choice(sorted(self.here())))
        return True

    def points(self):
        """Everybody's points: a bye is worth half a point, an absence nothing."""
        points = dict.fromkeys(self.field, 0.0)
        for earlier in self.past:
            for game in earlier.games:
                points[game.first] += game.score or 0
                points[game.second] += 0 if game.score is None else 1 - game.score
            for entrant in earlier.byes:
                points[entrant] += 0.5
        return points

    def report(self):
        """The event as a TRF file."""
        number = {entrant: i for i, entrant in enumerate(self.field, start=1)}
        cells = {entrant: ["0000 - Z"] * len(self.past) for entrant in self.field}
        points = self.points()
        for index, earlier in enumerate(self.past):
            for game in earlier.games:
                for me, it, colour, score in (
                    (game.first, game.second, "w", game.score),
                    (game.second, game.first, "b", None if game.score is None else 1 - game.score),
                ):
                    sign = {1: "1", 0.5: "=", 0: "0"} if game.played else {1: "+", 0: "-"}
                    cells[me][index] = f"{number[it]:4} {colour} {sign.get(score, '-')}"
            for entrant in earlier.byes:
                cells[entrant][index] = "0000 - U"
        lines = ["012 Event", f"142 {self.rounds}", f"152 {self.colour}"]
        lines.append("162  W 1.0    D 0.5    L 0.0    A 0.0    P 0.5")
        for entrant in self.field:
            lines.append(
                f"001 {number[entrant]:4}      {f'Bot {entrant}':33}{'':33}{points[entrant]:4.1f} "
                f"{number[entrant]:4}" + "".join(f"  {cell}" for cell in cells[entrant])
            )
        return "\n".join(lines) + "\n"
