"""The command line, `slayer` or `python3 -m engine`: play, verify a play, list the games.

Exit status: 0 when the command did its work (a play in which a bot failed has been played), 1 when
`verify` found a difference, 2 for wrong use or unreadable input, 3 when the machine failed.
Bad input gets a message on standard error, never a traceback.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine import games, replay
from engine.cli_play import Refused, add_play
from engine.contract import Game
from engine.record import Record, play_hash
from engine.sandbox.api import CannotIsolate, MachineFailure
from engine.verify import Mismatch, verify
from engine.wire import strict_json

DIFFERS, BAD_INPUT, MACHINE, INTERRUPTED = 1, 2, 3, 130
STANDARD_INPUT = "-"
LARGEST_FILE = 64 * 1024 * 1024
EXIT_STATUS = (
    "exit status: 0 done (also when a bot failed in the play), 1 verify found a difference, "
    "2 wrong use or unreadable input, 3 the machine or the sandbox failed"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    args = _parser().parse_args(arguments)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except Refused as error:
        return _complain(str(error), BAD_INPUT)
    except CannotIsolate as error:
        way_out = "" if args.trust else "\nTo run your own bots without isolation, add --trust."
        return _complain(f"{error}{way_out}", BAD_INPUT)
    except MachineFailure as error:
        return _complain(f"the machine failed, not a bot: {error}", MACHINE)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"the machine failed, not a bot: {error}", MACHINE)


def _parser() -> argparse.ArgumentParser:
    called = Path(sys.argv[0]).name
    parser = argparse.ArgumentParser(
        prog="python3 -m engine" if called.startswith("__main__") else called,
        description="Play card games between bots, and verify plays.",
        epilog=EXIT_STATUS,
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_play(commands.add_parser("play", help="play one deal between bots", epilog=EXIT_STATUS))
    check = commands.add_parser(
        "verify", help="play a replay again and say where it differs", epilog=EXIT_STATUS
    )
    check.add_argument(
        "file",
        metavar="FILE",
        help="a replay file, or the JSON that `play --json` printed; - reads standard input",
    )
    check.set_defaults(run=_verify)
    listing = commands.add_parser("games", help="list the games, their players and options")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(run=_games)
    return parser


def _complain(message: str, status: int) -> int:
    print(message, file=sys.stderr)
    return status


def _verify(args: argparse.Namespace) -> int:
    name = "standard input" if args.file == STANDARD_INPUT else args.file
    record, claimed = _read_record(args.file, name)
    try:
        verify(record)
        found = play_hash(record)
        if claimed is not None and claimed != found:
            raise Mismatch("play_hash", f"the file says {claimed!r}; it is {found}")
    except Mismatch as error:
        return _complain(f"{name} differs at {error}", DIFFERS)
    print(
        f"{name} is right: {record.game} edition {record.edition}, {record.players} players, "
        f"{len(record.actions)} actions, play hash {found}"
    )
    return 0


def _read_record(path: str, name: str) -> tuple[Record, object]:
    """The record of a replay or JSON file, and the play hash that the file claims, or None."""
    data = _read_file(path)
    try:
        if data.lstrip()[:1] != b"{":
            return replay.loads(data), None
        document = strict_json(data.decode())
        if "record" not in document:
            return Record.from_dict(document), None
        return Record.from_dict(document["record"]), document.get("play_hash")
    except ValueError as error:
        raise Refused(f"{name}: {error}") from None


def _read_file(path: str) -> bytes:
    try:
        if path == STANDARD_INPUT:
            data = sys.stdin.buffer.read(LARGEST_FILE + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    if len(data) > LARGEST_FILE:
        raise Refused(f"{path} has more than {LARGEST_FILE} bytes: that is no record of a play")
    return data


def _games(args: argparse.Namespace) -> int:
    if args.json:
        print(json.dumps([_described(game) for game in games.all()], indent=2))
        return 0
    for game in games.all():
        print(
            f"{game.name}: {game.title}, edition {game.edition}, "
            f"{game.min_players} to {game.max_players} players"
        )
        for option in game.options.values():
            values = "see the rules" if option.values is None else _listed(option.values)
            print(f"  --option {option.name}=…  {option.title}")
            print(f"      {values}; without it {json.dumps(option.default)}")
    return 0


def _listed(values: Sequence[Any]) -> str:
    return "one of " + ", ".join(json.dumps(value) for value in values)


def _described(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "edition": game.edition,
        "min_players": game.min_players,
        "max_players": game.max_players,
        "options": [
            {
                "name": option.name,
                "title": option.title,
                "default": option.default,
                "values": None if option.values is None else list(option.values),
            }
            for option in game.options.values()
        ],
    }
