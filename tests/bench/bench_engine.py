"""Speed of the bare rules: random plays on one core, by CPU time.

    python3 -m tests.bench.bench_engine [GAME …] [--seconds S] [--profile]

Each game is played with all numbers of players and all options in turn. Given are plays and
decisions per second without and with the observation of whoever decides, and what one clone, one
observation, one position and one resampling cost, at states from anywhere in these plays.
"""

import argparse
import cProfile
import itertools
import random
import time
from collections.abc import Iterator

from engine import games
from engine.contract import Game, State


def deals(game: Game) -> Iterator[State]:
    """New states without end: every number of players with every combination of options."""
    names = list(game.options)
    values = [option.values or (option.default,) for option in game.options.values()]
    kinds = list(
        itertools.product(range(game.min_players, game.max_players + 1), itertools.product(*values))
    )
    for number, (players, chosen) in enumerate(itertools.cycle(kinds)):
        options = dict(zip(names, chosen, strict=True))
        yield game.new_initial_state(players, f"{number:064x}", options)


def play_for(game: Game, seconds: float, *, observe: bool) -> tuple[float, float]:
    """Plays and decisions per CPU second."""
    rng = random.Random(1)
    plays = decisions = 0
    states = deals(game)
    begin = time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        state = next(states)
        while deciders := state.current_players():
            player = deciders[rng.randrange(len(deciders))]
            if observe:
                state.observation(player)
            legal = state.legal_actions(player)
            state.apply_action(player, legal[rng.randrange(len(legal))])
            decisions += 1
        plays += 1
    return plays / spent, decisions / spent


def samples(game: Game, count: int) -> list[State]:
    """States from anywhere in random plays."""
    rng = random.Random(2)
    found = []
    for state in itertools.islice(deals(game), count):
        seen = []
        while deciders := state.current_players():
            seen.append(state.clone())
            player = deciders[0]
            state.apply_action(player, rng.choice(state.legal_actions(player)))
        found.append(rng.choice(seen))
    return found


def report(game: Game, seconds: float) -> None:
    print(f"{game.name}, edition {game.edition}")
    for observe in (False, True):
        plays, decisions = play_for(game, seconds, observe=observe)
        how = "with observations" if observe else "rules alone"
        print(f"  {how:<20}{plays:>9,.0f} plays/s {decisions:>11,.0f} decisions/s")
    states = samples(game, 100)
    seed = "5e" * 32
    for name, work in {
        "clone": lambda state: state.clone(),
        "observation": lambda state: state.observation(0),
        "to_dict": lambda state: state.to_dict(),
        "state_from_dict": lambda state: game.state_from_dict(state.to_dict()),
        "resample": lambda state: state.resample(0, seed),
    }.items():
        begin = time.process_time()
        rounds = 0
        while (spent := time.process_time() - begin) < seconds / 4:
            for state in states:
                work(state)
            rounds += len(states)
        print(f"  {name:<20}{1e6 * spent / rounds:>9,.1f} us")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", default=[game.name for game in games.all()])
    parser.add_argument("--seconds", type=float, default=4.0, help="CPU seconds a figure")
    parser.add_argument("--profile", action="store_true", help="print a profile of the rules alone")
    args = parser.parse_args()
    for name in args.games:
        game = games.get(name)
        if args.profile:
            with cProfile.Profile() as profile:
                play_for(game, args.seconds, observe=False)
            profile.print_stats("tottime")
        else:
            report(game, args.seconds)


if __name__ == "__main__":
    main()
