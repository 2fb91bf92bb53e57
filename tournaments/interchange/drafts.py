"""Drafts from files: many entrants at once, and a bracket's setting from its JSON document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from json import loads
from pathlib import Path
from typing import Any, TypeVar

import jsonschema
from django.db import transaction

from bots import accounts
from bots.faults import Conflict, NotAllowed, UserFault
from bots.models import Bot, User
from tournaments import brackets, seasons
from tournaments.interchange.entrants import Entrant, RowsRefused, entrants_of
from tournaments.models import Bracket, Entry, Season, SeasonEntry

Row = TypeVar("Row")
SCHEMAS = Path(__file__).parent / "schemas"


@transaction.atomic
def enter_many(
    *, bracket: Bracket, entrants: Sequence[Entrant], user: User | None, reason: str = ""
) -> list[Entry]:
    """Enter all of a list, or nobody: RowsRefused reports each row that is wrong, and why.

    It is an organiser's; NotAllowed otherwise. The number of queries does not grow with the list.
    """
    entries: list[Entry] = _each(
        entrants,
        bracket.game,
        lambda found: brackets.enter_all(bracket=bracket, bots=found, user=user),
    )
    accounts.record_act(
        user=user,
        verb="enter",
        target=f"bracket {bracket.slug}",
        reason=reason or f"a list of {len(entries)}",
    )
    return entries


@transaction.atomic
def enter_season_many(
    *, season: Season, entrants: Sequence[Entrant], user: User | None
) -> list[SeasonEntry]:
    """The same for a season, in which nobody is seeded by hand; one after another."""
    if user is not None and not user.is_staff:
        raise NotAllowed(f"Only an organiser may change the season {season.slug!r}")

    def enter(found: Sequence[tuple[Bot, int | None]]) -> list[SeasonEntry | UserFault]:
        done: list[SeasonEntry | UserFault] = []
        for bot, _ in found:
            try:
                with transaction.atomic():
                    done.append(seasons.enter_season(season=season, bot=bot, user=user))
            except UserFault as fault:
                done.append(fault)
        return done

    entries: list[SeasonEntry] = _each(entrants, season.game, enter)
    accounts.record_act(
        user=user, verb="enter", target=f"season {season.slug}", reason=f"a list of {len(entries)}"
    )
    return entries


def _each(
    entrants: Sequence[Entrant],
    game: str,
    enter: Callable[[Sequence[tuple[Bot, int | None]]], Sequence[Row | UserFault]],
) -> list[Row]:
    """Enter each of a list; RowsRefused when any of them cannot be."""
    bots = _bots(game, entrants)
    refused: dict[int, str] = {}
    chosen: list[tuple[int, Bot]] = []
    seen: dict[int, str] = {}
    for index, entrant in enumerate(entrants):
        bot = bots.get(entrant.bot.lower() if isinstance(entrant.bot, str) else entrant.bot)
        if bot is None:
            refused[index] = _unknown(entrant, game)
        elif bot.pk in seen:
            refused[index] = f"{bot} stands in {seen[bot.pk]} already"
        else:
            seen[bot.pk] = entrant.where
            chosen.append((index, bot))
    entries: list[Row] = []
    done = enter([(bot, entrants[index].seeding) for index, bot in chosen])
    for (index, _), each in zip(chosen, done, strict=True):
        if isinstance(each, UserFault):
            refused[index] = each.message
        else:
            entries.append(each)
    if refused:
        raise RowsRefused(
            [(entrants[index].where, refused[index]) for index in sorted(refused)], len(entrants)
        )
    return entries


def _bots(game: str, entrants: Sequence[Entrant]) -> dict[int | str, Bot]:
    """The bots by id, and by player/bot in small letters, in two queries."""
    rows = Bot.objects.select_related("player", "active")
    ids = [each.bot for each in entrants if isinstance(each.bot, int) and each.bot < 1 << 62]
    names = [
        each.bot.lower().partition("/")
        for each in entrants
        # Nobody is called what PostgreSQL could not even look for.
        if isinstance(each.bot, str) and each.bot.isprintable()
    ]
    found: dict[int | str, Bot] = {bot.pk: bot for bot in rows.filter(pk__in=ids)}
    handles, bots = {handle for handle, _, _ in names}, {bot for _, _, bot in names}
    for bot in rows.filter(game=game, player__handle__in=handles, name__in=bots):
        found[str(bot)] = bot
    return found


def _unknown(entrant: Entrant, game: str) -> str:
    if isinstance(entrant.bot, int):
        return f"there is no bot {entrant.bot}"
    if "/" not in entrant.bot:
        return f"a bot is named player/bot, not {entrant.bot!r}"
    return f"there is no bot {entrant.bot!r} of {game}"


@transaction.atomic
def draft_from(
    *,
    document: Any,
    user: User | None,
    slug: str | None = None,
    title: str | None = None,
) -> Bracket:
    """A fresh draft with the setting and the entrants of a bracket's document; its draws and
    results stay where they were. Who had withdrawn is left out. All of it or nothing: UserFault,
    Conflict or NotAllowed.
    """
    check_document(document, "bracket")
    setting = document["bracket"]
    newest = brackets.known_game(setting["game"]).edition
    if setting.get("edition", newest) != newest:
        raise Conflict(
            f"The document is of edition {setting['edition']} of {setting['game']}; {newest} is "
            "played now: leave edition out of it to take that one",
            field="bracket.edition",
        )
    bracket = brackets.create_bracket(
        slug=slug or setting["slug"],
        title=title or setting["title"],
        game=setting["game"],
        stages=[
            {"format": stage["format"], "rules": stage["rules"]} for stage in document["stages"]
        ],
        options=setting.get("options"),
        time_control=setting.get("time_control"),
        rated=setting.get("rated", True),
        follow_active=setting.get("follow_active", False),
        organiser=user,
    )
    staying = [entry for entry in document.get("entries", []) if not entry.get("withdrawn_at")]
    if staying:
        enter_many(bracket=bracket, entrants=entrants_of(staying), user=user)
    return bracket


def check_document(document: Any, kind: str) -> None:
    """UserFault names the first place at which a document breaks its schema."""
    if isinstance(document, Mapping) and document.get("version", 1) != 1:
        raise UserFault(
            f"This reads version 1 of the document, not {document['version']!r}", field="version"
        )
    error = jsonschema.exceptions.best_match(_validator(kind).iter_errors(document))
    if error is not None:
        where = ".".join(map(str, error.absolute_path)) or "document"
        raise UserFault(f"{where}: {error.message[:300]}", field=where)


@cache
def _validator(kind: str) -> Any:
    return jsonschema.Draft202012Validator(schema(kind))


def schema(kind: str) -> dict[str, Any]:
    """The JSON schema of a kind of document: "bracket" or "season"."""
    text = (SCHEMAS / f"{kind}-1.json").read_text(encoding="utf-8")
    found: dict[str, Any] = loads(text)
    return found
