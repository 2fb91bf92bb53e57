"""Watching a play, decision by decision."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from engine import games
from engine import replay as replay_file
from engine.contract import State, may_see
from engine.record import Record
from frontend import tables
from frontend.views.matches import play_of
from tournaments import archive
from tournaments.models import Play

EVERY = 32
"""Of a play that is watched every so many-th state is kept: all of a long one take 30 MB, and the
steps between two of them are played again in a millisecond."""


@dataclass(frozen=True)
class Watched:
    """A replay and some of the states that it goes through."""

    record: Record
    kept: tuple[State, ...]
    """The states before action 0, EVERY, 2 × EVERY, …"""
    events: tuple[int, ...]
    """Number of events before each action, and at the end."""

    def state(self, step: int) -> State:
        """The state after so many actions."""
        game = games.get(self.record.game, self.record.edition)
        state = self.kept[step // EVERY].clone()
        for seat, index in self.record.actions[step - step % EVERY : step]:
            state.apply_action(seat, game.actions[index])
        return state


@lru_cache(maxsize=32)
def watch(pk: int, play_hash: str) -> Watched:
    """Play a stored replay again. ValueError when the file cannot be read or does not fit."""
    play = Play.objects.get(pk=pk)
    record = replay_file.loads(archive.replay(play))
    game = games.get(record.game, record.edition)
    state = game.new_initial_state(record.players, record.seed, record.options)
    kept, events = [state.clone()], [len(state.events)]
    for number, (seat, index) in enumerate(record.actions, 1):
        state.apply_action(seat, game.actions[index])
        events.append(len(state.events))
        if number % EVERY == 0:
            kept.append(state.clone())
    return Watched(record, tuple(kept), tuple(events))


def _is_there(play: Play) -> bool:
    """Whether there is a replay to download, even if it cannot be shown."""
    try:
        return bool(archive.replay(play))
    except (ValueError, OSError):
        return False


def replay(request: HttpRequest, pk: int, rotation: int) -> HttpResponse:
    """One moment of a play, as a seat or a spectator sees it; `?step=` decisions are over."""
    play = play_of(pk, rotation)
    contestants = {
        row.number: row.submission
        for row in play.match.contestants.select_related("submission__bot__player")
    }
    bots = [contestants[number] for number in play.seats]
    try:
        watched = watch(play.pk, play.play_hash)
    except (ValueError, OSError) as error:
        context = {"play": play, "match": play.match, "bots": bots, "error": str(error)}
        context["there"] = _is_there(play)
        return render(request, "frontend/replay_broken.html", context, status=500)
    record, last = watched.record, len(watched.record.actions)
    step = _number(request.GET.get("step"), 0, last)
    asked = request.GET.get("seat", "")
    seat = int(asked) if asked.isdecimal() and int(asked) < record.players else None
    game = games.get(record.game, record.edition)
    state = watched.state(step)
    template, shown = tables.board(game.name, state.observation(seat))
    context = {
        "play": play,
        "match": play.match,
        "game": game,
        "record": record,
        "bots": bots,
        "step": step,
        "last": last,
        "seat": seat,
        "places": list(zip(bots, state.scores(), strict=True)),
        "view": "" if seat is None else f"&seat={seat}",
        "moves": _moves(watched, game.actions),
        "events": _events(watched, state, step, seat),
        "deciding": state.current_players(),
        "table": template,
        "board": shown,
    }
    part = request.headers.get("X-Part") == "replay"
    return render(
        request, "frontend/parts/replay.html" if part else "frontend/replay.html", context
    )


def _number(text: str | None, least: int, most: int) -> int:
    """A number from the address, within its bounds; what is no number is the least."""
    if not text or not text.isdecimal() or len(text) > 7:
        return least
    return min(max(int(text), least), most)


@dataclass(frozen=True)
class Move:
    """One action in the list beside the table."""

    step: int
    seat: int
    action: str
    stand_in: bool


def _moves(watched: Watched, actions: tuple[str, ...]) -> list[Move]:
    failed = {failure.seat: failure.decision for failure in watched.record.failures}
    return [
        Move(number, seat, actions[index], seat in failed and number >= failed[seat])
        for number, (seat, index) in enumerate(watched.record.actions)
    ]


# An event's own words for what a page calls otherwise; None is not shown.
_LABELS = {"kind": None, "visible_to": None, "player": "seat"}


def _events(watched: Watched, state: State, step: int, seat: int | None) -> list[dict[str, Any]]:
    """What the last action brought about, as far as the viewer may know: kind and fields."""
    new = state.events[watched.events[step - 1] if step else 0 :]
    return [
        {
            "kind": event["kind"].replace("_", " "),
            "fields": [
                (label, value)
                for name, value in event.items()
                if (label := _LABELS.get(name, name.replace("_", " "))) and value is not None
            ],
        }
        for event in new
        if may_see(event, seat)
    ]
