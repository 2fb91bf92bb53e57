"""The log of a check, for the version's owner: what failed, where, and what the bot wrote.

It tells of the seats of the checked version only. What a bot wrote is escaped.
"""

from collections.abc import Iterable, Iterator

from bots.models import Submission
from engine import games, replay
from engine.clock import TimeControl
from engine.faults import escape
from engine.record import Failure, SeatLog
from tournaments import archive
from tournaments.models import Match, Play

_STDERR = 2000  # bytes of the end of standard error that are shown


def write(submission: Submission, matches: Iterable[Match]) -> tuple[str, str]:
    """(reason, log): the reason is the version's first own failure, '' if it has none."""
    reason = ""
    lines: list[str] = []
    for match in matches:
        where = _table(match)
        lines.append(f"{where} (match {match.pk})")
        if match.state != Match.State.FINISHED:
            lines.append(f"  not played to its end: {match.void_reason}")
        for play in match.plays.order_by("rotation"):
            for failure, log in _own_seats(submission, play):
                if failure is None:
                    place = play.places[log.seat]
                    lines.append(f"  seat {log.seat}: no failure, place {place}")
                else:
                    what = (
                        f"seat {log.seat}, decision {failure.decision}: "
                        f"{failure.reason}: {failure.message}"
                    )
                    reason = reason or f"Failed at the {where}, {what}{_last_words(log)}"
                    lines.append(f"  {what}")
                    lines.extend(_traces(log, TimeControl.from_dict(match.time_control)))
                lines.extend(_stderr(log))
    return reason, "\n".join(lines)


def _last_words(log: SeatLog) -> str:
    """The last line of standard error, where a crash says what it was."""
    lines = escape(log.stderr, lines=True).strip().splitlines()
    return f" — {lines[-1].strip()[:200]}" if lines else ""


def _table(match: Match) -> str:
    game = games.get(match.game, match.edition)
    changed = [
        f"{name}={value!r}"
        for name, value in match.options.items()
        if value != game.options[name].default
    ]
    options = f" with {', '.join(changed)}" if changed else ""
    return f"{game.title} table of {match.players}{options}"


def _own_seats(submission: Submission, play: Play) -> Iterator[tuple[Failure | None, SeatLog]]:
    record = replay.loads(archive.replay(play))
    failures = {failure.seat: failure for failure in record.failures}
    numbers = set(
        play.match.contestants.filter(submission=submission).values_list("number", flat=True)
    )
    for seat, number in enumerate(play.seats):
        if number in numbers:
            yield failures.get(seat), archive.log(play, seat)


def _traces(log: SeatLog, time: TimeControl) -> Iterator[str]:
    if log.asked:
        _, cpu_ms, wall_ms = log.asked[-1]
        used = f"{cpu_ms:.1f} ms of CPU of at most {log.last_limit_ms(time):.0f} ms"
        yield f"    last request: {used}, {wall_ms:.1f} ms of wall time"
    if log.exit_code is not None:
        yield f"    exit code: {log.exit_code}"
    if log.signal is not None:
        yield f"    ended by signal: {log.signal}"
    if log.peak_memory_bytes is not None:
        yield f"    peak memory: {log.peak_memory_bytes / 2**20:.0f} MiB"
    yield f"    last message to it: {escape(log.sent)}"
    yield f"    first bytes of its answer: {escape(log.received) or '(nothing)'}"


def _stderr(log: SeatLog) -> Iterator[str]:
    if not log.stderr:
        return
    tail = log.stderr[-_STDERR:]
    cut = log.stderr_cut or len(tail) < len(log.stderr)
    yield f"    standard error{' (its end)' if cut else ''}:"
    for line in escape(tail, lines=True).splitlines():
        yield f"      {line}"
