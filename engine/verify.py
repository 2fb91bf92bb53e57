"""Playing a record again: whether these actions can follow from this deal, and lead to this end."""

from __future__ import annotations

from collections.abc import Sequence

from engine import games
from engine.contract import Game, State
from engine.places import Decisions, places
from engine.record import Record
from engine.stand_in import StandIns


class Mismatch(ValueError):
    """The record differs from what the rules give.

    `where` names the place: "deal", "failures", "action 17" (counted from 0), "end", "scores" or
    "places"; the message says what stands in the record and what it should be.
    """

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where = where


def verify(record: Record) -> State:
    """Play the record's actions in the engine, in the edition that it names.

    Returns the final state; Mismatch names the first place where the record differs. Timings and
    the reasons of failures cannot be checked.
    """
    game, state = _deal(record)
    _check_failures(record)
    stand_ins = StandIns(game, record.seed)
    decisions = Decisions(state)
    failed_at = {failure.seat: failure.decision for failure in record.failures}
    failed = {seat: 0 for seat, position in failed_at.items() if position == 0}
    for position, (seat, index) in enumerate(record.actions):
        action = _action(game, state, position, seat, index)
        if seat in failed_at and position >= failed_at[seat]:
            failed.setdefault(seat, decisions.number(seat))
            _check_stand_in(
                record, position, action, stand_ins.choose(seat, state.legal_actions(seat))
            )
        state.apply_action(seat, action)
        decisions.advance(seat, state)
    if deciders := state.current_players():
        seats = ", ".join(str(seat) for seat in deciders)
        raise Mismatch(
            "end",
            f"the play is not over after the {len(record.actions)} actions of the record; "
            f"to decide: {seats}",
        )
    _compare("scores", record.scores, state.scores())
    _compare("places", record.places, places(state.ranks(), failed))
    return state


def _deal(record: Record) -> tuple[Game, State]:
    try:
        game = games.get(record.game, record.edition)
        state = game.new_initial_state(record.players, record.seed, record.options)
    except ValueError as error:
        raise Mismatch("deal", str(error)) from None
    # A deal is written in one way only, or equal deals could have different play hashes.
    if missing := [name for name in state.options if name not in record.options]:
        raise Mismatch("deal", f"option {missing[0]!r} has no value; a record names all options")
    return game, state


def _check_failures(record: Record) -> None:
    for failure in record.failures:
        position = failure.decision
        if position == 0:  # it may also have failed before the first decision
            continue
        if position >= len(record.actions):
            raise Mismatch(
                "failures",
                f"seat {failure.seat} fails at decision {position}, but only "
                f"{len(record.actions)} actions were applied",
            )
        if (seat := record.actions[position][0]) != failure.seat:
            raise Mismatch(
                "failures",
                f"seat {failure.seat} fails at decision {position}, which was seat {seat}'s",
            )


def _action(game: Game, state: State, position: int, seat: int, index: int) -> str:
    """The action that the record names, checked to be legal."""
    where = f"action {position}"
    deciders = state.current_players()
    if not deciders:
        raise Mismatch(where, f"seat {seat} acts, but the play is over after {position} actions")
    if seat not in deciders:
        seats = ", ".join(str(decider) for decider in deciders)
        raise Mismatch(where, f"seat {seat} acts; to decide: {seats}")
    if not 0 <= index < len(game.actions):
        raise Mismatch(
            where, f"index {index} is none of {game.title}'s actions, 0 to {len(game.actions) - 1}"
        )
    action = game.actions[index]
    if action not in (legal := state.legal_actions(seat)):
        raise Mismatch(where, f"seat {seat} plays {action!r}; legal are: {', '.join(legal)}")
    return action


def _check_stand_in(record: Record, position: int, action: str, chosen: str) -> None:
    seat, _ = record.actions[position]
    where = f"action {position}"
    if action != chosen:
        raise Mismatch(
            where,
            f"the bot of seat {seat} had failed and its stand-in plays {action!r}; "
            f"by the rules it plays {chosen!r}",
        )
    if record.cpu_ms[position] is not None:
        raise Mismatch(where, f"seat {seat}'s stand-in has a CPU time; only bots have")


def _compare(where: str, recorded: Sequence[int], right: Sequence[int]) -> None:
    if list(recorded) != list(right):
        raise Mismatch(where, f"the record says {list(recorded)}; the play ends with {list(right)}")
