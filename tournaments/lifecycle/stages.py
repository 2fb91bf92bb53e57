"""Stages: who plays one, in which order of seeds and in which groups, and who goes on."""

import secrets

from django.utils import timezone

from bots import accounts
from bots.faults import UserFault
from tournaments import ladders, leagues
from tournaments.brackets import playing_submission
from tournaments.lifecycle.plans import plan_for
from tournaments.lifecycle.standing import field_of, standings_of
from tournaments.models import Bracket, Rating, Stage
from tournaments.pairing.lots import lots, shuffled

Format = Stage.Format


def open_stage(bracket: Bracket, stage: Stage) -> None:
    """Fix who plays a stage. UserFault or CannotDraw when they are too few for it."""
    seed = secrets.token_hex(32)
    if stage.number == 1:
        field = _seeded(bracket, stage.rules["seeding"], seed)
    else:
        field = _go_on(bracket.stages.get(number=stage.number - 1))
    least = stage.rules["min_size"]
    if len(field) < least:
        raise UserFault(f"stage {stage.number} has {len(field)} entries; it needs at least {least}")
    groups: list[list[int]] = []
    if stage.format == Format.GROUPS:
        count = stage.rules["groups"]
        if len(field) < count * least:
            raise UserFault(
                f"{len(field)} entries do not fill {count} groups; a group needs at least {least}"
            )
        groups = leagues.snake(field, count)
    stage.field, stage.groups = field, groups
    stage.draw_seed, stage.started_at = seed, timezone.now()
    if stage.format in (Format.SINGLE_ELIMINATION, Format.DOUBLE_ELIMINATION):
        plan_for(stage.format, stage.rules, len(field))
    stage.save(update_fields=["field", "groups", "draw_seed", "started_at"])


def _seeded(bracket: Bracket, how: str, seed: str) -> list[int]:
    """The entries, strongest first: by their ratings, as the organiser said, or by lot."""
    entries = {
        entry.pk: entry
        for entry in bracket.entries.filter(withdrawn_at=None).select_related(
            "submission", "bot__active"
        )
    }
    by_lot = shuffled(sorted(entries), lots(seed, "seeding"))
    if how == "given":
        last = 1 + max((entry.seeding or 0 for entry in entries.values()), default=0)
        return sorted(by_lot, key=lambda pk: entries[pk].seeding or last)
    ladder = ladders.open_of(bracket.game)
    if how == "drawn" or ladder is None:
        return by_lot
    versions = {pk: playing_submission(entry) for pk, entry in entries.items()}
    ordinals = dict(
        Rating.objects.filter(
            ladder=ladder,
            generation=ladder.generation,
            submission__in=set(versions.values()) - {None},
        ).values_list("submission", "ordinal")
    )
    rated = {
        pk: ordinals[version.pk]
        for pk, version in versions.items()
        if version is not None and version.pk in ordinals
    }
    return sorted(by_lot, key=lambda pk: -rated.get(pk, float("-inf")))


def ranking(stage: Stage) -> list[int]:
    """All entries of a stage, best first; equals by seed.

    Of groups first all winners by their points a table, then all seconds, and so on.
    """
    field = field_of(stage)
    seed = {entry: number for number, entry in enumerate(field)}
    if stage.format != Format.GROUPS:
        return [
            row.entrant
            for row in sorted(standings_of(stage), key=lambda row: (row.rank, seed[row.entrant]))
        ]
    places: list[tuple[int, float, int, int]] = []
    for number in range(1, len(stage.groups) + 1):
        rows = sorted(
            standings_of(stage, group=number), key=lambda row: (row.rank, seed[row.entrant])
        )
        places += [
            (place, -float(row.points), seed[row.entrant], row.entrant)
            for place, row in enumerate(rows)
        ]
    return [entry for *_, entry in sorted(places)]


def _go_on(stage: Stage) -> list[int]:
    """Who goes on to the next stage, as its seeds; a withdrawn one's place goes to the next."""
    present = set(stage.bracket.entries.filter(withdrawn_at=None).values_list("pk", flat=True))
    through = [entry for entry in ranking(stage) if entry in present][: stage.rules["advance"]]
    return leagues.apart(through, stage.groups) if stage.groups else through


def tell_organiser(bracket: Bracket, text: str) -> None:
    """Leave the organiser a notice."""
    if bracket.organiser is not None:
        url = f"/brackets/{bracket.slug}/"
        accounts.notify_users(bracket.organiser, kind="bracket-stuck", text=text, url=url)
