"""Matches and attempts: queued → running → finished | void. Nothing else moves them.

Rows come first and messages after the commit; a message carries (match, attempt number) only, and
losing or repeating it does no harm. A worker claims an attempt under a lease, renews it with its
progress, and reports an absolute result that is accepted once. What the worker does not finish the
reaper gives to another one; three failures of machines make a match void, never somebody's loss.
"""

from tournaments.dispatch.files import NotStored, sweep
from tournaments.dispatch.leases import (
    Claim,
    claim,
    claim_all,
    fail,
    hand_back,
    progress_limit_s,
    renew,
    requeue,
    void,
)
from tournaments.dispatch.making import PRIORITY, check_fits, make_match
from tournaments.dispatch.reaper import database_now, last_reap, reap
from tournaments.dispatch.results import MatchResult, Outcome, Report, Verdict, finish, finish_all

__all__ = [
    "PRIORITY",
    "Claim",
    "MatchResult",
    "NotStored",
    "Outcome",
    "Report",
    "Verdict",
    "check_fits",
    "claim",
    "claim_all",
    "database_now",
    "fail",
    "finish",
    "finish_all",
    "hand_back",
    "last_reap",
    "make_match",
    "progress_limit_s",
    "reap",
    "renew",
    "requeue",
    "sweep",
    "void",
]
