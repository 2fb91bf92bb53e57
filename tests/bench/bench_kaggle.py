"""CPU of a decision of a trivial agent, here in the sandbox, in kaggle-environments without one.

    python3 -m tests.bench.bench_kaggle [--rounds N] [--back-end NAME]

Needs the package kaggle-environments, which is large and no part of this project; it need not be
installed where the service is. In an environment of its own, from the checkout:

    python3 -m venv /tmp/kaggle && /tmp/kaggle/bin/pip install kaggle-environments
    /tmp/kaggle/bin/python -m tests.bench.bench_kaggle

Both play 240 decisions of rock, paper, scissors, and all agents take the first sign. Ours is a
whole play with its referee and the starts and ends of four bots; theirs goes without its import,
once with functions and once with files as two agents. CPU of everything that a side runs is
counted, in turn in every round.
"""

import argparse
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.clock import TimeControl
from engine.contract import State
from engine.referee import SeatProgram, play
from engine.sandbox import Program, isolated, workspace
from engine.sandbox.tiers import BACK_ENDS
from tests.bench.bench_sandbox import cpu_ms, launcher_ms
from tests.engine.scripted import SealedBids, SealedBidsState

PLAYERS, DECISIONS, SEED = 4, 240, "5e" * 32
BOT = """import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "end":
        break
    else:
        answer = {"id": message["id"], "action": message["legal_actions"][0]}
        print(json.dumps(answer), flush=True)
"""
AGENT = "def agent(observation, configuration):\n    return 0\n"
OURS, FUNCTIONS, FILES = "ours, in the sandbox", "kaggle, functions", "kaggle, files"
Once = Callable[[], int]
"""Play once; how many decisions there were."""


class Signs(SealedBids):
    """Rock, paper, scissors at one table: a sign scores for each sign that it beats."""

    name, title = "signs", "Signs"
    actions = ("rock", "paper", "scissors")

    def _deal(self, players: int, seed: str, options: dict[str, Any]) -> State:
        return SignsState(self, players)


class SignsState(SealedBidsState):
    def current_players(self) -> tuple[int, ...]:
        if self._round == DECISIONS // self.players:
            return ()
        return tuple(seat for seat in range(self.players) if seat not in self._bids)

    def _legal(self, player: int) -> tuple[str, ...]:
        return self.game.actions if player in self.current_players() else ()

    def _apply(self, player: int, action: str) -> None:
        self._bids[player] = self.game.action_index[action]
        if len(self._bids) < self.players:
            return
        for seat, sign in self._bids.items():
            self._scores[seat] += sum((sign - other) % 3 == 1 for other in self._bids.values())
        signs = [self.game.actions[self._bids[seat]] for seat in range(self.players)]
        self._events.append({"kind": "shown", "visible_to": None, "signs": signs})
        self._round, self._bids = self._round + 1, {}


@contextmanager
def ours(back_end: str) -> Iterator[tuple[Once, int]]:
    with workspace() as place, isolated(minimum="landlock", name=back_end) as sandbox:
        folder = place / "bot"
        folder.mkdir()
        folder.chmod(0o755)
        entry = folder / "main.py"
        entry.write_text(BOT)
        entry.chmod(0o644)
        seat = SeatProgram(Program(folder, "python", "main.py"), "0" * 64)

        def once() -> int:
            result = play(
                Signs(),
                players=PLAYERS,
                options={},
                seed=SEED,
                seats=[seat] * PLAYERS,
                time=TimeControl(),
                sandbox=sandbox,
            )
            assert not result.record.failures, result.record.failures
            return len(result.record.actions)

        yield once, getattr(getattr(sandbox, "_process", None), "pid", None)


@contextmanager
def theirs(agents: str) -> Iterator[tuple[Once, None]]:
    from kaggle_environments import make

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.py"
        path.write_text(AGENT)

        def first(observation: object, configuration: object) -> int:
            return 0

        def once() -> int:
            env = make("rps", configuration={"episodeSteps": DECISIONS // 2 + 1})
            env.run([str(path) if agents == FILES else first] * 2)
            assert [state["status"] for state in env.state] == ["DONE", "DONE"], env.state
            return 2 * (len(env.steps) - 1)

        yield once, None


def serve(name: str, back_end: str) -> None:
    """For each line of standard input, a number of plays: CPU in µs of one decision."""
    with ours(back_end) if name == OURS else theirs(name) as (once, launcher):
        out = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # whatever else is printed
        once()
        print("ready", file=out, flush=True)
        for line in sys.stdin:
            begin = cpu_ms() + launcher_ms(launcher)
            decisions = sum(once() for _ in range(int(line)))
            used = cpu_ms() + launcher_ms(launcher) - begin
            print(json.dumps(1e3 * used / decisions), file=out, flush=True)


class Side:
    """A process that plays in one way."""

    def __init__(self, name: str, back_end: str) -> None:
        self.name = name
        self.found: list[float] = []
        command = [sys.executable, "-m", "tests.bench.bench_kaggle", "--back-end", back_end]
        self._process = subprocess.Popen(
            [*command, "--serve", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if self._answer() != "ready":
            raise SystemExit(f"{name} does not run here: {' '.join(command)} --serve '{name}'")

    def measure(self, plays: int) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{plays}\n")
        self._process.stdin.flush()
        self.found.append(json.loads(self._answer()))

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        with self._process:
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--back-end", choices=list(BACK_ENDS), default="ns")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if importlib.util.find_spec("kaggle_environments") is None:
        how = __doc__.partition("\n\nNeeds ")[2].partition("\n\nBoth ")[0]
        raise SystemExit(f"There is no kaggle-environments here. This needs {how}")
    if options.serve:
        serve(options.serve, options.back_end)
        return
    sides: list[Side] = []
    try:
        for name in (OURS, FUNCTIONS, FILES):
            sides.append(Side(name, options.back_end))
        for _ in range(options.rounds):
            for side in sides:
                side.measure(5)
    finally:
        for side in sides:
            side.close()
    least = statistics.median(sides[0].found)
    print(f"CPU of a decision, {options.back_end}\n{'':22} µs median      min   ratio")
    for side in sides:
        middle = statistics.median(side.found)
        print(f"{side.name:22} {middle:9.1f} {min(side.found):8.1f} {middle / least:7.2f}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"largest process: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
