"""One step of a bracket after another: close what is over, draw what is due."""

import logging

from django.db import transaction
from django.utils import timezone

from bots import accounts
from bots.faults import UserFault
from bots.models import Player
from tournaments import dispatch
from tournaments.lifecycle import closing, drawing, rounds, stages
from tournaments.models import Bracket, MatchDay, Stage
from tournaments.pairing import CannotDraw

logger = logging.getLogger(__name__)
State = Bracket.State

# Empty rounds and stages follow each other at once; so many of them in one call, the rest later.
_STEPS = 200


def advance() -> None:
    """Take every running bracket as far as it goes now; one that breaks stops no other."""
    for pk in Bracket.objects.filter(state=State.RUNNING).values_list("pk", flat=True):
        try:
            advance_bracket(pk)
        except Exception:
            logger.exception("Bracket %d could not be advanced", pk)


@transaction.atomic
def advance_bracket(pk: int, *, table: int | None = None) -> None:
    """Take one bracket as far as it goes now; a bracket that somebody else holds is left.

    table: the only one where something has happened, if that is known; the others are not looked
    at.
    """
    bracket = (
        # What has happened at a table must be seen; who looks at all of them comes again soon.
        Bracket.objects.select_for_update(no_key=True, skip_locked=table is None)
        .filter(pk=pk, state=State.RUNNING)
        .first()
    )
    if bracket is not None:
        step(bracket, table=table)


def step(bracket: Bracket, *, table: int | None = None) -> None:
    """Close what is over, draw what is due. The caller holds the bracket's row."""
    for _ in range(_STEPS):
        stage = bracket.stages.filter(ended_at=None).order_by("number").first()
        if stage is None:
            _finish(bracket)
            return
        stage.bracket = bracket
        try:
            with transaction.atomic():
                if not _one_step(bracket, stage, table):
                    return
        except (CannotDraw, UserFault) as error:
            bracket.state, bracket.pause_reason = State.PAUSED, f"It cannot go on: {error}"
            bracket.save(update_fields=["state", "pause_reason"])
            stages.tell_organiser(bracket, f"{bracket.title} is paused. {bracket.pause_reason}")
            logger.warning("Bracket %s is paused: %s", bracket.slug, error)
            return


def _one_step(bracket: Bracket, stage: Stage, table: int | None) -> bool:
    """One step of a stage; False when there is nothing to do now."""
    if stage.started_at is None:
        stages.open_stage(bracket, stage)
        return True
    last = stage.rounds.order_by("number").last()
    if last is not None and last.closed_at is None:
        last.stage = stage
        closing.close_tables(bracket, last, only=table)
        return closing.close_round(bracket, last)
    number = last.number + 1 if last else 1
    day = _match_day(bracket, number)
    basis = drawing.basis(stage, number)
    if basis is None:
        stage.ended_at = timezone.now()
        stage.save(update_fields=["ended_at"])
        return True
    if day is not None and dispatch.database_now() < day.starts_at:
        return False
    rounds.open_round(bracket, stage, number, basis, day)
    return True


def _match_day(bracket: Bracket, number: int) -> MatchDay | None:
    """The day of a division's round; the rounds of other brackets come as they come."""
    if bracket.season_id is None or not hasattr(bracket, "division"):
        return None
    return MatchDay.objects.filter(season=bracket.season_id, number=number).first()


def _finish(bracket: Bracket) -> None:
    bracket.state, bracket.ended_at = State.FINISHED, timezone.now()
    bracket.save(update_fields=["state", "ended_at"])
    accounts.notify(
        *Player.objects.filter(bots__entries__bracket=bracket).distinct(),
        kind="bracket-finished",
        text=f"{bracket.title} is finished.",
        url=f"/brackets/{bracket.slug}/",
    )
