"""Making matches: everything that a match is, except how it ends, is fixed here."""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from bots.faults import UserFault
from bots.models import Submission
from engine import games
from engine.chance import Chance, commitment
from engine.clock import TimeControl
from engine.contract import Game
from tournaments.belonging import apart
from tournaments.dispatch.messages import publish
from tournaments.duplicate import rotations_for
from tournaments.models import Contestant, Ladder, Match, Table

Kind = Match.Kind
PRIORITY = {Kind.BRACKET: 30, Kind.QUALIFICATION: 20, Kind.TEST: 10, Kind.LADDER: 0}
_TRIAL_PLAYS = 8


def make_match(
    *,
    kind: str,
    game: str,
    submissions: Sequence[Submission],
    edition: str | None = None,
    options: Mapping[str, Any] | None = None,
    time_control: TimeControl | None = None,
    rated: bool = False,
    ladder: Ladder | None = None,
    table: Table | None = None,
    deal: int = 1,
    checks: Submission | None = None,
    rotations: int = 0,
    priority: int | None = None,
) -> Match:
    """Make a match and queue it: its row first, its message once the transaction is committed.

    `submissions` sit in this order in the first play; `rotations` is the number of plays, 0 for one
    in each seat. `rated` is a wish: a match is rated only on the ladder or in a bracket, under an
    open ladder's conditions, and when no two of its bots belong together. A deal that the game
    refuses, or a time control under which the match could not end in time, is a UserFault.
    """
    try:
        rules = games.get(game, edition)
        full = rules.check_options(options, rules.check_players(len(submissions)))
    except ValueError as error:
        raise UserFault(str(error)) from None
    for submission in submissions:
        if submission.bot.game != game:
            raise UserFault(f"{submission} plays {submission.bot.game}, not {game}")
    time = time_control or TimeControl()
    plays = rotations_for(len(submissions), rotations)
    check_fits(rules, players=len(submissions), options=full, time=time, plays=plays)
    if rated:
        ladder = ladder or open_ladder_for(rules, full, time)
        rated = ladder is not None and kind in (Kind.LADDER, Kind.BRACKET) and apart(submissions)
    seed = secrets.token_hex(32)
    with transaction.atomic():
        match = Match.objects.create(
            kind=kind,
            game=rules.name,
            edition=rules.edition,
            players=len(submissions),
            options=full,
            time_control=time.to_dict(),
            rotations=plays,
            seed=seed,
            commitment=commitment(seed),
            rated=rated,
            ladder=ladder if rated or kind == Kind.LADDER else None,
            table=table,
            deal=deal,
            checks=checks,
            languages=sorted({submission.language for submission in submissions}),
            priority=PRIORITY[Kind(kind)] if priority is None else priority,
            published_at=Now(),
        )
        Contestant.objects.bulk_create(
            Contestant(match=match, number=number, submission=submission)
            for number, submission in enumerate(submissions)
        )
        publish(match)
    return match


def open_ladder_for(game: Game, options: Mapping[str, Any], time: TimeControl) -> Ladder | None:
    """The open ladder that a match of these conditions may count for."""
    return Ladder.objects.filter(
        game=game.name,
        edition=game.edition,
        options=dict(options),
        time_control=time.to_dict(),
        open=True,
    ).first()


def check_fits(
    game: Game, *, players: int, options: Mapping[str, Any], time: TimeControl, plays: int
) -> None:
    """UserFault unless all plays of a match can end within the hard limit of an attempt."""
    decisions = _decisions(game.name, game.edition, players, json.dumps(options, sort_keys=True))
    needed = plays * time.worst_case_s(decisions, players)
    if needed > settings.ATTEMPT_HARD_LIMIT_S:
        raise UserFault(
            f"This time control is too long for {game.title} with {players} players: {plays} plays "
            f"of about {decisions} decisions could take {needed / 3600:.1f} hours, and a match may "
            f"take {settings.ATTEMPT_HARD_LIMIT_S / 3600:.0f}. Shorten move_ms or bank_ms"
            + (", or play fewer rotations" if plays > 1 else ""),
            field="time_control",
        )


@lru_cache(maxsize=256)
def _decisions(name: str, edition: str, players: int, options: str) -> int:
    """Decisions of the longest of a few random plays; there is no bound to compute from rules."""
    game = games.get(name, edition)
    longest = 0
    for trial in range(_TRIAL_PLAYS):
        seed = hashlib.sha256(f"length of a play {trial}".encode()).hexdigest()
        state = game.new_initial_state(players, seed, json.loads(options))
        chance = Chance(seed)
        decisions = 0
        while deciders := state.current_players():
            legal = state.legal_actions(deciders[0])
            state.apply_action(deciders[0], legal[chance.below("choice", len(legal))])
            decisions += 1
        longest = max(longest, decisions)
    return longest
