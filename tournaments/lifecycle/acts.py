"""The organiser's acts on a whole bracket. Each is logged with its reason."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from bots import accounts
from bots.faults import Conflict, UserFault
from bots.models import User
from engine import games
from tournaments.bracket_rules import check_stages
from tournaments.brackets import check_organiser
from tournaments.lifecycle.steps import step
from tournaments.models import Bracket, Entry, Round, Stage

State = Bracket.State

# What may be changed of a stage that has been drawn; the rest is what the draw was made from.
CHANGEABLE = ("deals", "least_deals", "rounds", "round_minutes", "tie_breaks", "advance")


def locked(bracket: Bracket, user: User | None) -> Bracket:
    """The bracket's row, locked; NotAllowed unless the user organises."""
    check_organiser(user, bracket)
    return Bracket.objects.select_for_update(no_key=True).get(pk=bracket.pk)


def record(bracket: Bracket, user: User | None, verb: str, reason: str, what: str = "") -> None:
    """Log an act on a bracket, or on `what` in it."""
    target = f"{what} of bracket {bracket.slug}" if what else f"bracket {bracket.slug}"
    accounts.record_act(user=user, verb=verb, target=target, reason=reason)


@transaction.atomic
def start(*, bracket: Bracket, user: User | None, reason: str = "") -> None:
    """Close the entries and draw the first round. Raises Conflict or NotAllowed."""
    bracket = locked(bracket, user)
    if bracket.state != State.DRAFT:
        raise Conflict(f"{bracket.slug} is {bracket.state} already")
    entries = bracket.entries.count()
    least = bracket.stages.get(number=1).rules["min_size"]
    if entries < least:
        raise Conflict(f"{bracket.slug} has {entries} entries; it needs at least {least}")
    _set(bracket, state=State.RUNNING, started_at=timezone.now())
    record(bracket, user, "start", reason)
    step(bracket)
    if bracket.state == State.PAUSED:
        # Nothing has been played: the organiser can still change what made it impossible.
        raise Conflict(f"The first round cannot be drawn: {bracket.pause_reason}")


@transaction.atomic
def pause(*, bracket: Bracket, user: User | None, reason: str) -> None:
    """Draw and close nothing until it is resumed; matches that are queued are still played."""
    bracket = locked(bracket, user)
    if bracket.state != State.RUNNING:
        raise Conflict(f"{bracket.slug} is {bracket.state}; only a running bracket can be paused")
    _set(bracket, state=State.PAUSED, pause_reason=reason)
    record(bracket, user, "pause", reason)


@transaction.atomic
def resume(*, bracket: Bracket, user: User | None, reason: str = "") -> None:
    """Go on with a paused bracket."""
    bracket = locked(bracket, user)
    if bracket.state != State.PAUSED:
        raise Conflict(f"{bracket.slug} is {bracket.state}; only a paused bracket can be resumed")
    _set(bracket, state=State.RUNNING, pause_reason="")
    record(bracket, user, "resume", reason)


@transaction.atomic
def reseed(*, bracket: Bracket, user: User | None, order: Sequence[int], reason: str) -> None:
    """Seed a bracket that has not started by hand: `order` are all its entries, strongest first."""
    bracket = locked(bracket, user)
    if bracket.state != State.DRAFT:
        raise Conflict(f"{bracket.slug} is {bracket.state}: its seeds are fixed")
    entries = {entry.pk: entry for entry in bracket.entries.all()}
    if sorted(order) != sorted(entries):
        missing = sorted(set(entries) - set(order))
        raise UserFault(
            f"The order must name each of the {len(entries)} entries once"
            + (f"; it lacks {missing}" if missing else ""),
            field="order",
        )
    for number, pk in enumerate(order, 1):
        entries[pk].seeding = number
    Entry.objects.bulk_update(entries.values(), ["seeding"])
    stage = bracket.stages.get(number=1)
    stage.rules = {**stage.rules, "seeding": "given"}
    stage.save(update_fields=["rules"])
    record(bracket, user, "reseed", reason)


@transaction.atomic
def change_rules(
    *, stage: Stage, user: User | None, changes: Mapping[str, Any], reason: str
) -> None:
    """Change a stage's rules; each change is logged with what was before.

    Before a stage begins all its rules may change, later those of `CHANGEABLE` only. Tables that
    are drawn keep their number of deals. Raises UserFault, Conflict or NotAllowed.
    """
    bracket = locked(stage.bracket, user)
    stages = list(Stage.objects.select_for_update(no_key=True).filter(bracket=bracket))
    stage = next(each for each in stages if each.pk == stage.pk)
    if stage.ended_at is not None:
        raise Conflict(f"Stage {stage.number} of {bracket.slug} is over")
    full = check_stages(
        [
            {
                "format": each.format,
                "rules": {**each.rules, **changes} if each.pk == stage.pk else each.rules,
            }
            for each in stages
        ],
        games.get(bracket.game, bracket.edition),
    )
    rules = dict(zip((each.pk for each in stages), (of for _, of in full), strict=True))[stage.pk]
    changed = {name: new for name, new in rules.items() if new != stage.rules.get(name)}
    if not changed:
        raise UserFault("These are its rules already", field="rules")
    fixed = sorted(set(changed) - set(CHANGEABLE))
    if stage.started_at is not None and fixed:
        raise Conflict(
            f"Stage {stage.number} of {bracket.slug} is drawn: {', '.join(fixed)} cannot change. "
            f"These can: {', '.join(CHANGEABLE)}"
        )
    drawn = stage.rounds.count()
    if "rounds" in changed and changed["rounds"] < drawn:
        raise UserFault(f"{drawn} rounds are drawn already", field="rules.rounds")
    words = "; ".join(
        f"{name}: {stage.rules.get(name)} → {new}" for name, new in sorted(changed.items())
    )
    stage.rules = rules
    stage.save(update_fields=["rules"])
    record(bracket, user, "change-rules", f"{reason} ({words})", f"stage {stage.number}")


@transaction.atomic
def extend(*, round_: Round, user: User | None, deadline: datetime | None, reason: str) -> None:
    """Give an open round another deadline; None: it closes when all is played."""
    bracket = locked(round_.stage.bracket, user)
    if deadline is not None and (deadline.tzinfo is None or deadline <= timezone.now()):
        raise UserFault("A deadline is a time to come, with its zone", field="deadline")
    if not Round.objects.filter(pk=round_.pk, closed_at=None).update(deadline=deadline):
        raise Conflict(f"Round {round_.number} of {bracket.slug} is closed")
    # What a table of a knock-out said of the old deadline; the organiser is told of the new one.
    round_.tables.filter(closed_at=None).update(note="")
    what = f"round {round_.number} of stage {round_.stage.number}"
    record(bracket, user, "extend", f"{reason} (until {deadline or 'it is played'})", what)


def _set(bracket: Bracket, **fields: object) -> None:
    for name, value in fields.items():
        setattr(bracket, name, value)
    bracket.save(update_fields=list(fields))
