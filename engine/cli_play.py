"""The command `play`: one deal between bots on this machine, in the sandbox or trusted."""

from __future__ import annotations

import argparse
import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine import games, replay, sandbox
from engine.chance import check_seed
from engine.clock import TimeControl
from engine.faults import escape
from engine.house import house_package
from engine.package import Package, from_path, read
from engine.record import Failure, Record, SeatLog, play_hash
from engine.referee import PlayResult, SeatProgram
from engine.referee import play as referee_play
from engine.wire import strict_json

HOUSE = "house:"
BOOLEANS = ("true", "false")
SHOWN_STDERR = 2000


class Refused(Exception):
    """What was typed or given cannot be used; the message says why and what would be right."""


def add_play(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments of `play`."""
    usual = TimeControl()
    parser.add_argument("game", metavar="GAME", help="for example deca-slayer")
    parser.add_argument(
        "bots",
        metavar="BOT",
        nargs="+",
        help="a package (folder or zip), one .py file, or house:NAME; one for each player",
    )
    parser.add_argument("--seed", metavar="HEX", help="64 hex digits; without it a fresh one")
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], help="an option of the game"
    )
    parser.add_argument(
        "--rotation",
        metavar="N",
        type=int,
        default=0,
        help="play N of the duplicate set: every bot sits N seats further on",
    )
    parser.add_argument("--start-ms", type=int, default=usual.start_ms, help="CPU ms to get ready")
    parser.add_argument("--move-ms", type=int, default=usual.move_ms, help="CPU ms a decision")
    parser.add_argument("--bank-ms", type=int, default=usual.bank_ms, help="CPU ms to spare")
    parser.add_argument("--replay", metavar="FILE", type=Path, help="write the replay to FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run the bots as ordinary processes, without isolation: for your own bots only",
    )
    parser.set_defaults(run=play)


def play(args: argparse.Namespace) -> int:
    """Play, print the result, write the replay."""
    try:
        game = games.get(args.game)
        game.check_players(len(args.bots))
        options = game.check_options(_options(args.option), len(args.bots))
        seed = secrets.token_hex(32) if args.seed is None else check_seed(args.seed)
        time = TimeControl(args.start_ms, args.move_ms, args.bank_ms)
    except ValueError as error:
        raise Refused(str(error)) from None
    if not 0 <= args.rotation < len(args.bots):
        raise Refused(f"--rotation is {args.rotation}; it must be from 0 to {len(args.bots) - 1}")
    if args.replay is not None and not args.replay.parent.is_dir():
        raise Refused(f"--replay: there is no folder {args.replay.parent}")
    names = _rotated(args.bots, args.rotation)
    packages = _rotated([_package(game.name, bot) for bot in args.bots], args.rotation)
    with (
        sandbox.plain() if args.trust else sandbox.isolated() as box,
        sandbox.workspace() as folder,
    ):
        result = referee_play(
            game,
            players=len(packages),
            options=options,
            seed=seed,
            rotation=args.rotation,
            seats=_unpacked(packages, folder),
            time=time,
            sandbox=box,
        )
    print(_document(result, names) if args.json else _table(result, names))
    if args.replay is not None:
        _write(args.replay, replay.dumps(result.record))
    return 0


def _options(given: Sequence[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--option {text}: write NAME=VALUE")
        try:
            # As in JSON, true and false in any case; anything else is a text.
            options[name] = strict_json(lower if (lower := value.lower()) in BOOLEANS else value)
        except ValueError:
            options[name] = value
    return options


def _package(game: str, bot: str) -> Package:
    try:
        if bot.startswith(HOUSE):
            name = bot.removeprefix(HOUSE)
            return read(house_package(game, name), filename=f"{name}.zip", game=game)
        return from_path(Path(bot), game)
    except ValueError as error:
        raise Refused(f"bot {bot}: {error}") from None


def _rotated(by_bot: Sequence[Any], rotation: int) -> list[Any]:
    """By seat: in play `rotation` of a duplicate set bot b sits in seat b + rotation."""
    return [by_bot[(seat - rotation) % len(by_bot)] for seat in range(len(by_bot))]


def _unpacked(packages: Sequence[Package], folder: Path) -> list[SeatProgram]:
    """The programs by seat; equal packages share a folder, since no bot can write to it."""
    programs: dict[str, SeatProgram] = {}
    for package in packages:
        if package.sha256 not in programs:
            program = package.unpack(folder / package.sha256)
            programs[package.sha256] = SeatProgram(program, package.sha256)
    return [programs[package.sha256] for package in packages]


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise Refused(f"--replay {path}: {error.strerror}") from None


def _document(result: PlayResult, names: Sequence[str]) -> str:
    record = result.record
    failures = {failure.seat: failure for failure in record.failures}
    document = {
        "play_hash": play_hash(record),
        "record": record.to_dict(),
        "seats": [
            {
                "seat": log.seat,
                "bot": names[log.seat],
                "score": record.scores[log.seat],
                "place": record.places[log.seat],
                "failure": _failure(failures[log.seat], log) if log.seat in failures else None,
                "notes": [{"decision": decision, "text": text} for decision, text in log.notes],
                "stderr": escape(log.stderr, lines=True),
                "stderr_cut": log.stderr_cut,
                "measured": {
                    "cpu_ms": round(log.cpu_ms, 3),
                    "peak_memory_bytes": log.peak_memory_bytes,
                },
            }
            for log in result.logs
        ],
    }
    return json.dumps(document)


def _failure(failure: Failure, log: SeatLog) -> dict[str, Any]:
    return {
        **asdict(failure),
        "received": escape(log.received),
        "exit_code": log.exit_code,
        "signal": log.signal,
    }


def _table(result: PlayResult, names: Sequence[str]) -> str:
    record = result.record
    width = max(3, *(len(name) for name in names))
    options = ", ".join(f"{name}={json.dumps(value)}" for name, value in record.options.items())
    lines = [
        f"{record.game} edition {record.edition}, {options or 'no options'}, "
        f"{_held(record)}, {len(record.actions)} actions",
        f"seed {record.seed}",
        "",
        f"seat  {'bot':<{width}}  score  place  CPU ms",
    ]
    for log in result.logs:
        seat = log.seat
        lines.append(
            f"{seat:>4}  {names[seat]:<{width}}  {record.scores[seat]:>5}  "
            f"{record.places[seat]:>5}  {log.cpu_ms:>6.0f}"
        )
    for failure in record.failures:
        lines += ["", *_failure_lines(failure, result.logs[failure.seat], names[failure.seat])]
    return "\n".join([*lines, "", f"play hash {play_hash(record)}"])


def _held(record: Record) -> str:
    if record.isolation == "plain":
        return "bots trusted: ordinary processes without isolation"
    return f"bots isolated by {record.isolation}"


def _failure_lines(failure: Failure, log: SeatLog, name: str) -> list[str]:
    lines = [
        f"seat {failure.seat} ({name}) failed at decision {failure.decision}, "
        f"reason {failure.reason}: {failure.message}"
    ]
    if log.received:
        lines.append(f"  received: {escape(log.received)}")
    if log.signal is not None:
        lines.append(f"  ended by signal {log.signal}")
    elif log.exit_code is not None:
        lines.append(f"  exit code {log.exit_code}")
    if log.stderr:
        lines.append("  its standard error ends with:")
        text = escape(log.stderr[-SHOWN_STDERR:], lines=True)
        lines += [f"    {line}" for line in text.splitlines()]
    return lines
