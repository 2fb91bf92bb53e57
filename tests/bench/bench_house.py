"""How strong the house's bots are: duplicate matches in one process.

    python3 -m tests.bench.bench_house deca-slayer planner greedy --matches 200 --players 3 4 5 6

Two bots take turns around the table, the rest of it is filled with a third one where the two do
not come out even. A match is one deal, played once for each rotation of the seats, so that
everybody sits in every seat of it. What is compared are mean place points (1 for the first place …
0 for the last); the interval takes each match as one observation, since its plays share a deal.
"""

import argparse
import hashlib
import importlib.util
import math
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from engine import games
from engine.house import house_names, house_package
from engine.local import play_local
from engine.package import read
from engine.places import place_points


@dataclass
class HouseBot:
    """A house bot in this process, with the CPU seconds of its decisions."""

    choose: object
    info: dict = field(default_factory=dict)
    decision_s: list = field(default_factory=list)

    def start(self, info):
        self.info = info
        random.seed(info["random_seed"])

    def act(self, observation, legal_actions):
        started = time.thread_time()
        answer = self.choose(observation, legal_actions, self.info)
        self.decision_s.append(time.thread_time() - started)
        return answer[0] if isinstance(answer, tuple) else answer


def load(game, name):
    """A house bot from its package, with modules of its own."""
    package = read(house_package(game, name), filename=f"{name}.zip", game=game)
    with tempfile.TemporaryDirectory() as place:
        program = package.unpack(Path(place) / name)
        path = program.folder / program.entry
        spec = importlib.util.spec_from_file_location(f"house_{name}", path)
        module = importlib.util.module_from_spec(spec)
        before = set(sys.modules)
        sys.path.insert(0, str(program.folder))
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(str(program.folder))
            for file in package.files:  # the next bot's have the same names
                name_of_module = file.removesuffix(".py")
                if name_of_module not in before:
                    sys.modules.pop(name_of_module, None)
    return HouseBot(module.choose)


def seed_of(number, label):
    return hashlib.sha256(f"{label} {number}".encode()).hexdigest()


def duplicate_match(game, table, seed, options):
    """Mean place points of each entrant of the table over all rotations of one deal."""
    points = [0.0] * len(table)
    for rotation in range(len(table)):
        turned = [(seat + rotation) % len(table) for seat in range(len(table))]
        record = play_local(
            game,
            players=len(table),
            seed=seed,
            bots=[table[entrant] for entrant in turned],
            options=options,
            rotation=rotation,
        )
        for entrant, won in zip(turned, place_points(record.places), strict=True):
            points[entrant] += float(won) / len(table)
    return points


def compare(game, first, second, filler, *, players, matches, options=None, label="bench"):
    """The first bot's mean place points less the second's, match by match."""
    pairs = players // 2
    table = [first, second] * pairs + [filler] * (players % 2)
    differences = []
    for number in range(matches):
        seed = seed_of(number, f"{label} {players}")
        points = duplicate_match(game, table, seed, options)
        ours = statistics.fmean(points[0 : 2 * pairs : 2])
        theirs = statistics.fmean(points[1 : 2 * pairs : 2])
        differences.append(ours - theirs)
    return differences


def interval(differences):
    """Mean and half the width of its 95 % interval (normal, for 30 matches and more)."""
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    return statistics.fmean(differences), 1.96 * error


def option_of(text):
    """An option and its value: true, false, a number, or else a word."""
    key, _, value = text.partition("=")
    if value in ("true", "false"):
        return key, value == "true"
    return key, int(value) if value.isdecimal() else value


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=[game.name for game in games.all()])
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--fill", default="random", help="bot for the odd seat (random)")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--players", type=int, nargs="+", help="table sizes (all of the game)")
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--label", default="bench", help="another label gives other deals")
    args = parser.parse_args(arguments)
    for name in (args.first, args.second, args.fill):
        if name not in house_names(args.game):
            parser.error(f"{name} is none of {', '.join(house_names(args.game))}")
    game = games.get(args.game)
    options = dict(map(option_of, args.option))
    first, second, filler = (load(args.game, n) for n in (args.first, args.second, args.fill))
    for players in args.players or range(game.min_players, game.max_players + 1):
        differences = compare(
            game, first, second, filler,
            players=players, matches=args.matches, options=options, label=args.label,
        )  # fmt: skip
        mean, half = interval(differences)
        print(
            f"{players} players: {args.first} - {args.second} = {mean:+.3f} ± {half:.3f} "
            f"place points ({args.matches} duplicate matches)"
        )
    for name, bot in ((args.first, first), (args.second, second)):
        times = sorted(bot.decision_s)
        print(
            f"{name}: {statistics.fmean(times) * 1e3:.3f} ms CPU a decision, 99 % under "
            f"{times[len(times) * 99 // 100] * 1e3:.2f} ms, longest {times[-1] * 1e3:.1f} ms"
        )


if __name__ == "__main__":
    main()
