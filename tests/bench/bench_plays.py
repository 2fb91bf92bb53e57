"""How plays of a game end, how long they are, and who wins them: a house bot among its like.

    python3 -m tests.bench.bench_plays kunlun greedy --plays 5000 --players 2 3 4

Everything is dealt by chance. Wins are multiples of the fair share, by seat, by turn order, and by
the clan or house that a seat was dealt, a shared first place counting in part; at a table of n and
with p plays the standard error of a seat's is the square root of (n − 1) / p.
"""

import argparse
import statistics
from collections import Counter
from fractions import Fraction

from engine import games, wire
from engine.house import house_names
from tests.bench.bench_house import load, seed_of

SIDES = ("clan", "house")
"""What a seat may have been dealt for the whole play."""


def play(game, bots, seed):
    """The final state, and the number of decisions."""
    state = game.new_initial_state(len(bots), seed)
    for seat, bot in enumerate(bots):
        bot.start(wire.seat_info(state, seat, wire.random_seed(seed, 0, seat)))
    decisions = 0
    while deciders := state.current_players():
        seat = deciders[0]
        answer = bots[seat].act(state.observation(seat), state.legal_actions(seat))
        state.apply_action(seat, answer)
        decisions += 1
    return state, decisions


def wins(state):
    """Each winner's share of the first place, by seat."""
    ranks = state.ranks()
    return {seat: Fraction(1, ranks.count(1)) for seat, rank in enumerate(ranks) if rank == 1}


class Tally:
    """What the plays at one size of table came to."""

    def __init__(self, players):
        self.players = players
        self.decisions, self.rounds, self.scores = [], [], []
        self.ends = Counter()
        self.won, self.sat = Counter(), Counter()

    def add(self, state, decisions):
        end = state.observation(None)
        self.decisions.append(decisions)
        self.rounds.append(end.get("round", end.get("turn", 0)))
        self.scores.extend(state.scores())
        self.ends[state.events[-1].get("reason", "its last turn")] += 1
        share = wins(state)
        for seat, own in enumerate(end["seats"]):
            keys = [f"seat {seat}", *(own[side] for side in SIDES if side in own)]
            if "first" in end:
                keys.append(f"turn {(seat - end['first']) % self.players + 1}")
            for key in keys:
                self.sat[key] += 1
                self.won[key] += share.get(seat, 0)

    def lines(self):
        yield (
            f"{self.players} players, {len(self.rounds)} plays: "
            f"decisions {statistics.fmean(self.decisions):.0f}, longest {max(self.decisions)}; "
            f"rounds {statistics.fmean(self.rounds):.1f}, longest {max(self.rounds)}; "
            f"score {statistics.fmean(self.scores):.1f}"
        )
        yield "  ended by " + ", ".join(f"{end} {count}" for end, count in self.ends.most_common())
        yield "  wins: " + ", ".join(
            f"{key} {float(self.won[key] / self.sat[key]) * self.players:.2f}"
            for key in sorted(self.sat)
        )


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=[game.name for game in games.all()])
    parser.add_argument("bot")
    parser.add_argument("--plays", type=int, default=200, help="in all, shared by the table sizes")
    parser.add_argument("--players", type=int, nargs="+", help="table sizes (all of the game)")
    parser.add_argument("--label", default="bench", help="another label gives other deals")
    args = parser.parse_args(arguments)
    if args.bot not in house_names(args.game):
        parser.error(f"{args.bot} is none of {', '.join(house_names(args.game))}")
    game, bot = games.get(args.game), load(args.game, args.bot)
    sizes = args.players or range(game.min_players, game.max_players + 1)
    for players in sizes:
        tally = Tally(players)
        for number in range(args.plays // len(sizes)):
            tally.add(*play(game, [bot] * players, seed_of(number, f"{args.label} {players}")))
        print(*tally.lines(), sep="\n", flush=True)


if __name__ == "__main__":
    main()
