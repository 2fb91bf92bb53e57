"""Who may play: checks of uploaded versions, activation, and suspension.

A check consists of matches on the code path of every match: at the smallest and at the largest
table, and with all options on, against copies of itself and the house's bots.
"""

import logging
import math
from collections import Counter
from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Now

from bots import submissions
from bots.accounts import notify, record_act
from bots.faults import UserFault
from bots.models import Bot, Submission, User
from engine import games
from engine.contract import Game
from tournaments import blame, check_log, dispatch, ladders, ledger, workers
from tournaments.models import Attempt, Contestant, Match, Worker

logger = logging.getLogger(__name__)
State = Submission.State
# A check that could not be finished is tried again so long after its deadline.
RETRY_AFTER = timedelta(minutes=1)
AT_ONCE = 20
"""Checks begun in one go: a flood of uploads must not fill the queue."""

FAILED_OF_LAST = (10, 20)
VOID_ATTEMPTS = 3
VOID_WORKERS = 2
# Machines fail too. What is weighed against a bot is how often matches become void without it;
# with few of them to go by, one of 25 is taken for usual. A suspension needs odds this small that
# the bot has only had bad luck.
_USUAL_OF = 25
_BY_CHANCE = 1e-4


def check_submissions() -> None:
    """One round: judge the checks that are complete or late, and begin new ones."""
    for submission in Submission.objects.filter(state=State.CHECKING).order_by("id"):
        try:
            judge(submission)
        except Exception:  # one that breaks stops no other
            logger.exception("The check of submission %d could not be judged", submission.pk)
    start_checks()


def start_checks() -> None:
    """Begin the check of the versions that wait for one.

    The oldest first, but each player's next one before anybody's second: who uploads many at once
    delays only himself.
    """
    running = Counter(
        Submission.objects.filter(state=State.CHECKING).values_list("bot__player", flat=True)
    )
    before = dispatch.database_now() - timedelta(minutes=settings.CHECK_MINUTES) - RETRY_AFTER
    waiting = Submission.objects.filter(
        Q(check_started_at=None) | Q(check_started_at__lt=before),
        state=State.UPLOADED,
    ).select_related("bot__player")
    turns: list[tuple[int, int, Submission]] = []
    ahead = Counter(running)
    for number, submission in enumerate(waiting.order_by("uploaded_at", "id")):
        player = submission.bot.player_id
        turns.append((ahead[player], number, submission))
        ahead[player] += 1
    turns.sort(key=lambda turn: turn[:2])
    for _, _, submission in turns[: max(0, AT_ONCE - running.total())]:
        try:
            start_check(submission)
        except Exception:
            logger.exception("The check of submission %d could not begin", submission.pk)


def start_check(submission: Submission) -> bool:
    """Begin a check by making its matches; False if somebody else has begun it."""
    game = games.get(submission.bot.game)
    house = list(
        Submission.objects.filter(bot__player__house=True, bot__game=game.name, bot__active=F("pk"))
        .exclude(pk=submission.pk)
        .select_related("bot__player")
        .order_by("bot__name")
    )
    with transaction.atomic():
        if not submissions.start_check(submission):
            return False
        for number, (players, options) in enumerate(check_tables(game)):
            dispatch.make_match(
                kind=Match.Kind.QUALIFICATION,
                game=game.name,
                submissions=_seats(submission, house, players, number),
                options=options,
                checks=submission,
                # Copies of the bot sit in every other seat, and the tables differ in which.
                rotations=1,
            )
    return True


def check_tables(game: Game) -> list[tuple[int, dict[str, object]]]:
    """Players and options of a check's matches."""
    options: dict[str, object] = {}
    for option in game.options.values():
        others = [value for value in option.values or () if value != option.default]
        if others:
            options[option.name] = others[-1]
    tables: list[tuple[int, dict[str, object]]] = [(game.min_players, {})]
    if game.max_players > game.min_players:
        tables.append((game.max_players, {}))
    if options:
        tables.append((game.max_players, options))
    return tables


def _seats(
    submission: Submission, house: list[Submission], players: int, shift: int
) -> list[Submission]:
    """Copies of the version in every other seat; the house's bots, if there are any, between."""
    if not house:
        return [submission] * players
    return [
        submission if (seat + shift) % 2 == 0 else house[seat // 2 % len(house)]
        for seat in range(players)
    ]


def check_over(match: Match) -> None:
    """A match of a check is over."""
    if match.checks is not None:
        judge(match.checks)


def judge(submission: Submission) -> None:
    """Decide a check whose matches are all over, or that has run out of time.

    A failure of the bot itself rejects it. Without one, a match that is missing is our fault: the
    check is tried again.
    """
    with transaction.atomic():
        submission = (
            Submission.objects.select_for_update(of=("self",), no_key=True)
            .select_related("bot__player")
            .get(pk=submission.pk)
        )
        started_at = submission.check_started_at
        if submission.state != State.CHECKING or started_at is None:
            return
        matches = list(
            Match.objects.filter(checks=submission, created_at__gte=started_at).order_by("id")
        )
        late = started_at < dispatch.database_now() - timedelta(minutes=settings.CHECK_MINUTES)
        open_matches = [match for match in matches if not match.is_over]
        if open_matches and not late:
            return
        for match in open_matches:
            dispatch.void(match=match, reason="Its check ran out of time", user=None)
            match.refresh_from_db()
        reason, log = check_log.write(submission, matches)
        if reason:
            submissions.reject(submission, reason=reason, log=log)
        elif any(match.state != Match.State.FINISHED for match in matches):
            submissions.not_checked(submission, log=log)
        else:
            submissions.qualify(submission, log=log)
            if submission.activate:
                _activate_checked(submission)


def _activate_checked(submission: Submission) -> None:
    try:
        with transaction.atomic():
            activate(submission=submission, user=None)
    except UserFault as fault:
        notify(
            submission.bot.player,
            kind="not-activated",
            text=f"{submission} qualified, but was not activated: {fault.message}",
            url=f"/submissions/{submission.pk}/",
        )


def activate(*, submission: Submission, user: User | None) -> None:
    """Make a qualified version its bot's active one, and put it on the open ladder of its game.

    Raises what `bots.submissions.activate` raises.
    """
    with transaction.atomic():
        before = submissions.activate(submission, user=user)
        ladder = ladders.open_of(submission.bot.game)
        if ladder is not None:
            ledger.enter(ladder=ladder, submission=submission, parent=before)


def activate_for(*, submission: Submission, reason: str, user: User) -> None:
    """An organiser activates somebody else's version; the act is logged."""
    with transaction.atomic():
        activate(submission=submission, user=None)
        record_act(user=user, verb="activate", target=f"submission {submission.pk}", reason=reason)


def deactivate(*, bot: Bot, user: User | None) -> None:
    """Take a bot out of play and off the ladder's table."""
    with transaction.atomic():
        submissions.deactivate(bot, user=user)
        _unlist(bot)


def suspend(*, submission: Submission, reason: str, user: User | None) -> bool:
    """Take a qualified version out of play until it is reinstated; its results stay."""
    with transaction.atomic():
        done = submissions.suspend(submission, reason=reason, user=user)
        if done and not Bot.objects.filter(pk=submission.bot_id, active__isnull=False).exists():
            _unlist(submission.bot)
    return done


def _unlist(bot: Bot) -> None:
    ladder = ladders.open_of(bot.game)
    if ladder is not None:
        ledger.unlist(ladder=ladder, bot=bot)


def judge_conduct(match: Match) -> None:
    """Suspend bots that fail too often or void matches, and pause a worker that fails with many."""
    failed = list(
        match.attempts.filter(state__in=[Attempt.State.FAILED, Attempt.State.LOST])
        .select_related("worker")
        .order_by("number")
    )
    for contestant in match.contestants.select_related("submission__bot__player"):
        submission = contestant.submission
        reason = _fails_often(submission) if match.rated and contestant.failures else ""
        reason = reason or (_voids_matches(submission) if failed else "")
        if reason and suspend(submission=submission, reason=reason, user=None):
            logger.warning("Suspended submission %d: %s", submission.pk, reason)
    for worker in Worker.objects.filter(pk__in={attempt.worker_id for attempt in failed}):
        if workers.pause_failing(worker):
            logger.warning("Paused worker %s", worker.name)


def _fails_often(submission: Submission) -> str:
    most, last = FAILED_OF_LAST
    recent = (
        Contestant.objects.filter(
            submission=submission, match__rated=True, match__state=Match.State.FINISHED
        )
        .order_by("-match_id")
        .values_list("failures", flat=True)[:last]
    )
    failed = sum(failures > 0 for failures in recent)
    if failed < most:
        return ""
    return f"It failed in {failed} of its last {len(recent)} rated matches"


def _voids_matches(submission: Submission) -> str:
    """Why it seems to be this bot that makes matches void; '' if it does not.

    A failed attempt counts for nothing when a later one at the match succeeded: the bots are the
    same, and so is the deal. Bots that shared all void matches cannot be told apart, unless much
    play clears all but one: otherwise nobody is suspended.
    """
    no_contest = Q(
        state=Match.State.VOID, infrastructure_failures__gte=settings.INFRASTRUCTURE_FAILURES
    )
    over = Match.objects.filter(
        no_contest | Q(state=Match.State.FINISHED), ended_at__gt=Now() - timedelta(hours=24)
    )
    ours = Q(pk__in=Contestant.objects.filter(submission=submission).values("match"))
    void = set(over.filter(ours & no_contest).values_list("pk", flat=True))
    counts = Attempt.objects.filter(
        match__in=void, state__in=[Attempt.State.FAILED, Attempt.State.LOST]
    ).aggregate(attempts=Count("id"), workers=Count("worker", distinct=True))
    if counts["attempts"] < VOID_ATTEMPTS or counts["workers"] < VOID_WORKERS:
        return ""
    others = over.exclude(ours).aggregate(all=Count("pk"), void=Count("pk", filter=no_contest))
    usual = (others["void"] + 1) / (others["all"] + _USUAL_OF)
    if at_least(len(void), of=over.filter(ours).count(), each=usual) > _BY_CHANCE:
        return ""
    always_there = (
        Contestant.objects.filter(match__in=void)
        .exclude(submission=submission)
        .values("submission")
        .annotate(matches=Count("match", distinct=True))
        .filter(matches=len(void))
    )
    others_there = list(always_there.values_list("submission", flat=True))
    # It may as well be one of them, unless much play clears them and not this one.
    if others_there and (len(void) < 2 or _cleared(submission.pk, over, void)):
        return ""
    if not all(_cleared(other, over, void) for other in others_there):
        return ""
    return (
        f"{len(void)} of its matches became void within 24 hours, by {counts['attempts']} failed "
        f"attempts on {counts['workers']} workers, and no other bot was in all of them but those "
        "that finished many more"
    )


def _cleared(submission: int, over: QuerySet[Match], void: Collection[int]) -> bool:
    """Whether so much of what is over was finished with it that it is not what makes these void."""
    finished = over.filter(
        state=Match.State.FINISHED,
        pk__in=Contestant.objects.filter(submission=submission).values("match"),
    )
    return blame.clears(finished.count(), len(void))


def at_least(number: int, *, of: int, each: float) -> float:
    """The probability that `number` or more `of` independent events happen, `each` being that of
    one (the upper tail of the binomial distribution)."""
    if each >= 1:
        return 1.0
    return math.fsum(
        math.exp(
            math.lgamma(of + 1)
            - math.lgamma(k + 1)
            - math.lgamma(of - k + 1)
            + k * math.log(each)
            + (of - k) * math.log1p(-each)
        )
        for k in range(number, of + 1)
    )
