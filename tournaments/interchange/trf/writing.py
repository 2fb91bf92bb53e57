"""Writing a report, in the columns of TRF16 or TRF26."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from tournaments.interchange.trf.model import (
    MOST_PLAYERS,
    Acceleration,
    Game,
    Player,
    Report,
    TrfError,
)

END = "\r\n"
"""The standard ends a line by CR; with LF after it other programs read it as well."""


def write(report: Report, version: int = 26) -> str:
    """The file's text. `version` 26, or 16: what that had no record for stands in JaVaFo's (XXR,
    XXC, XXS, XXA, XXP, XXZ), or is descriptive and left out (172–222).

    TrfError when a value does not fit its columns, or TRF16 cannot say something that counts.
    """
    if version not in (16, 26):
        raise TrfError(f"there are versions 16 and 26, not {version}")
    if len(report.players) > MOST_PLAYERS:
        raise TrfError(
            f"a starting rank has four digits: TRF holds at most {MOST_PLAYERS} players, not "
            f"{len(report.players)}; export as JSON or CSV instead"
        )
    lines = [f"### {comment}".rstrip() for comment in report.comments]
    lines += _head(report)
    lines += _new(report) if version == 26 else _javafo(report)
    lines += [_player(player) for player in report.players]
    if version == 26:
        lines += _after(report)
    lines += report.others
    for number, line in enumerate(lines, start=1):
        if not line.isprintable():
            raise TrfError(f"the line {number} holds characters that do not print: {line!r}")
    return "".join(line.rstrip() + END for line in lines)


def _head(report: Report) -> Iterator[str]:
    yield f"012 {report.name}"
    texts = [
        ("022", report.city), ("032", report.federation), ("042", report.start),
        ("052", report.end), ("062", str(len(report.players))),
        ("072", str(sum(bool(player.rating) for player in report.players))), ("082", "0"),
        ("092", report.kind), ("102", report.arbiter),
    ]  # fmt: skip
    for tag, text in texts:
        if text:
            yield f"{tag} {text}"
    for deputy in report.deputies:
        yield f"112 {deputy}"
    if report.times:
        yield f"122 {report.times}"
    if report.dates:
        yield "132".ljust(91) + "  ".join(_text(date, 8, "a date") for date in report.dates)


def _new(report: Report) -> Iterator[str]:
    """The records of the tournament that TRF26 added."""
    if report.rounds is not None:
        yield f"142 {report.rounds}"
    if report.first_colour:
        yield f"152 {report.first_colour}"
    if report.points:
        yield "162  " + "    ".join(f"{a}{_points(p)}" for a, p in report.points.items())
    if report.ranking:
        federation, method = report.ranking
        yield f"172 {_text(federation, 3, 'a federation')} {method}"
    for tag, text in (
        ("182", report.program),
        ("192", report.type_code),
        ("202", ",".join(report.tie_breaks)),
        ("212", ",".join(report.standing_order)),
        ("222", report.clock),
    ):
        if text:
            yield f"{tag} {text}"
    if report.by_rank:
        yield "XXC rank"


def _after(report: Report) -> Iterator[str]:
    """The records that name players, in TRF26."""
    for bye in report.byes:
        yield f"240 {bye.kind} {bye.round:03} {_numbers(bye.players)}"
    for each in report.accelerations:
        yield (
            f"250      {_points(each.points)} {each.first:03} {each.last:03} "
            f"{each.low:4} {each.high:4}"
        )
    for pairs in report.forbidden:
        yield f"260 {pairs.first:03} {pairs.last:03} {_numbers(pairs.players)}"
    for odd in report.abnormal:
        yield (
            f"299 {odd.kind or ' '}        {_points(odd.points)}  {odd.round:03} "
            f"{_numbers(odd.players)}"
        )


def _javafo(report: Report) -> Iterator[str]:
    """The same for TRF16, in JaVaFo's records."""
    last = report.rounds or 999
    if report.rounds is not None:
        yield f"XXR {report.rounds}"
    colour = {"W": "white1", "B": "black1", "": ""}[report.first_colour]
    if colour or report.by_rank:
        yield f"XXC {' '.join(filter(None, ['rank' * report.by_rank, colour]))}"
    if "X" in report.points:
        raise TrfError("TRF16 has no points for unknown results; write TRF26")
    if report.points:
        codes = {"W": "WW", "D": "WD", "L": "WL", "A": "ZPB", "P": "PAB"}
        yield "XXS " + " ".join(f"{codes[a]}={p}" for a, p in report.points.items())
    for number, spans in sorted(_by_player(report).items()):
        rounds = [Decimal(0)] * max(span.last for span in spans)
        for span in spans:
            for at in range(span.first - 1, span.last):
                rounds[at] += span.points
        yield f"XXA {number:4} " + " ".join(map(_points, rounds))
    for pairs in report.forbidden:
        if (pairs.first, pairs.last) != (1, last):
            raise TrfError("TRF16 forbids pairs for the whole tournament only; write TRF26")
        yield f"XXP {' '.join(map(str, pairs.players))}"
    for bye in report.byes:
        if bye.kind != "Z" or bye.round != report.played + 1:
            raise TrfError("TRF16 names absent players of the next round only; write TRF26")
        yield f"XXZ {' '.join(map(str, bye.players))}"
    if report.abnormal:
        raise TrfError("TRF16 has no abnormal points (299); write TRF26")


def _by_player(report: Report) -> dict[int, list[Acceleration]]:
    found: dict[int, list[Acceleration]] = {}
    for player in report.players:
        spans = [each for each in report.accelerations if each.low <= player.number <= each.high]
        if spans:
            found[player.number] = spans
    return found


def _player(player: Player) -> str:
    if not 1 <= player.number <= MOST_PLAYERS:
        raise TrfError(f"a starting rank is from 1 to {MOST_PLAYERS}, not {player.number}")
    rating = "" if player.rating is None else str(player.rating)
    points = "" if player.points is None else _points(player.points)
    rank = "" if player.rank is None else str(player.rank)
    line = (
        f"001 {player.number:4} {_text(player.sex, 1, 'the sex')}"
        f"{_text(player.title, 3, 'the title', right=True)} {_text(player.name, 33, 'the name')} "
        f"{_text(rating, 4, 'the rating', right=True)} "
        f"{_text(player.federation, 3, 'the federation')} "
        f"{_text(player.fide_number, 11, 'the FIDE number', right=True)} "
        f"{_text(player.birth, 10, 'the birth date')} {points:>4} "
        f"{_text(rank, 4, 'the rank', right=True)}"
    )
    return line + "".join(map(_game, player.games))


def _game(game: Game) -> str:
    opponent = f"{game.opponent:4}" if game.opponent else "0000"
    return f"  {opponent} {game.colour} {game.result}"


def _text(value: str, width: int, what: str, right: bool = False) -> str:
    if len(value) > width:
        raise TrfError(f"{what} has at most {width} characters, not {value!r}")
    return value.rjust(width) if right else value.ljust(width)


def _points(value: Decimal) -> str:
    text = f"{value:4.1f}"
    if len(text) > 4 or Decimal(text.strip()) != value:
        raise TrfError(f"points have one decimal and four characters in all, not {value}")
    return text


def _numbers(players: Sequence[int]) -> str:
    return " ".join(f"{number:4}" for number in players)
