"""Whose fault are failed attempts: a machine's, or a bot's that breaks machines? Pure.

One bot fails on many workers, or one worker fails many bots: these can be told apart. What cannot
be told is said to be so, with what would tell it. An organiser reads it and decides. What the
service does by itself takes more: `workers.pause_failing` looks at the failures of one hour on one
worker, `entrants.judge_conduct` at matches that became void. Whom much play clears is cleared there
too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

ENOUGH = 3
"""Failures from which on anything is said."""
CLEARED = 10
"""A bot with so many finished matches to each failure is not what breaks them: it is in many."""


class Blame(StrEnum):
    """Who seems to be at fault."""

    THIS = "this one"
    OTHER = "another"
    UNKNOWN = "cannot be told"
    TOO_FEW = "too few"


@dataclass(frozen=True)
class Failure:
    """One attempt that failed or was lost: its worker, and the bots in its match."""

    worker: str
    bots: frozenset[str]


@dataclass(frozen=True)
class Judgement:
    """Failures of a worker or with a bot, and what they say, in a sentence."""

    name: str
    failures: int
    others: int
    """Bots that it failed with, or workers that it failed on."""
    blame: Blame
    because: str


def clears(played: int, failures: int) -> bool:
    """Whether so many matches that a bot finished show that it is not what made these fail."""
    return played >= CLEARED * failures


def judge_workers(
    failures: Iterable[Failure], played: Mapping[str, int] | None = None
) -> list[Judgement]:
    """Every worker on which attempts failed, most failures first.

    `played`: how many matches each bot finished in about the same time.
    """
    suspected = _suspected(list(failures), played or {})
    return _sorted(
        _judge_worker(name, own, suspected) for name, own in _by_worker(suspected).items()
    )


def judge_bots(
    failures: Iterable[Failure], played: Mapping[str, int] | None = None
) -> list[Judgement]:
    """Every bot in whose matches attempts failed, most failures first; `played` as above."""
    failures = list(failures)
    by_bot: dict[str, list[Failure]] = {}
    for failure in failures:
        for bot in failure.bots:
            by_bot.setdefault(bot, []).append(failure)
    suspected = _suspected(failures, played or {})
    suspects = frozenset[str]().union(*(failure.bots for failure in suspected))
    by_worker = _by_worker(suspected)
    return _sorted(
        _judge_bot(name, [f for f in suspected if name in f.bots], by_worker)
        if name in suspects
        else _cleared(name, own, (played or {}).get(name, 0))
        for name, own in by_bot.items()
    )


def _suspected(failures: list[Failure], played: Mapping[str, int]) -> list[Failure]:
    """The failures with the bots alone that may be to blame for them.

    The house's bots fill tables everywhere: one is soon in all failures of a machine.
    """
    with_it: dict[str, int] = {}
    for failure in failures:
        for bot in failure.bots:
            with_it[bot] = with_it.get(bot, 0) + 1
    cleared = {bot for bot, count in with_it.items() if clears(played.get(bot, 0), count)}
    return [Failure(failure.worker, failure.bots - cleared) for failure in failures]


def _cleared(name: str, own: list[Failure], played: int) -> Judgement:
    workers = len({failure.worker for failure in own})
    because = f"it finished {played} others in the same time"
    return Judgement(name, len(own), workers, Blame.OTHER, because)


def _sorted(judgements: Iterable[Judgement]) -> list[Judgement]:
    return sorted(judgements, key=lambda each: (-each.failures, each.name))


def _by_worker(failures: Iterable[Failure]) -> dict[str, list[Failure]]:
    found: dict[str, list[Failure]] = {}
    for failure in failures:
        found.setdefault(failure.worker, []).append(failure)
    return found


def _always(failures: Iterable[Failure]) -> frozenset[str]:
    """The bots that were in all of them."""
    return frozenset.intersection(*(failure.bots for failure in failures))


def _judge_worker(name: str, own: list[Failure], failures: list[Failure]) -> Judgement:
    bots = len(frozenset[str]().union(*(failure.bots for failure in own)))

    def said(blame: Blame, because: str) -> Judgement:
        return Judgement(name, len(own), bots, blame, because)

    if len(own) < ENOUGH:
        return said(Blame.TOO_FEW, f"fewer than {ENOUGH} failures say nothing")
    always = _always(own)
    if not always:
        return said(Blame.THIS, f"no bot was in all {len(own)} failures: it is the machine")
    elsewhere = {
        bot: len({f.worker for f in failures if bot in f.bots and f.worker != name})
        for bot in always
    }
    bot, workers = max(elsewhere.items(), key=lambda item: (item[1], item[0]))
    if workers:
        return said(
            Blame.OTHER,
            f"{bot} was in all of them, and fails on {_count(workers, 'other worker')} too",
        )
    return said(
        Blame.UNKNOWN,
        f"{min(always)} was in all of them and fails nowhere else: matches of others here, or of "
        "it elsewhere, would tell",
    )


def _judge_bot(name: str, own: list[Failure], by_worker: Mapping[str, list[Failure]]) -> Judgement:
    workers = sorted({failure.worker for failure in own})

    def said(blame: Blame, because: str) -> Judgement:
        return Judgement(name, len(own), len(workers), blame, because)

    if len(own) < ENOUGH:
        return said(Blame.TOO_FEW, f"fewer than {ENOUGH} failures say nothing")
    broken = [worker for worker in workers if any(name not in f.bots for f in by_worker[worker])]
    if len(broken) == len(workers):
        return said(Blame.OTHER, f"{', '.join(broken[:3])} failed without it as well")
    if len(workers) == 1:
        return said(
            Blame.UNKNOWN, f"all of them on {workers[0]}: matches of it elsewhere would tell"
        )
    always = sorted(_always(own) - {name})
    if always:
        return said(
            Blame.UNKNOWN,
            f"{always[0]} was in all of them too: matches of one alone would tell",
        )
    return said(
        Blame.THIS, f"on {len(workers)} workers, and no other bot was in all {len(own)} failures"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
