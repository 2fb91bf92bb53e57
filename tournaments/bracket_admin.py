"""The organiser's pages for brackets and seasons."""

import json
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime

from bots.admin import ReadOnly
from bots.faults import UserFault
from bots.models import User
from tournaments import brackets, lifecycle, seasons
from tournaments.acting import Acts, ReasonForm, act
from tournaments.interchange import drafts
from tournaments.interchange.entrants import Entrant
from tournaments.making_admin import BracketForm, Makes, SeasonForm
from tournaments.models import (
    Bracket,
    Division,
    Entry,
    MatchDay,
    Round,
    Season,
    SeasonEntry,
    Stage,
    Table,
)


class OrderForm(ReasonForm):
    """The same with bots in an order."""

    order = forms.CharField(
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "bots: player/bot, player/bot, …"}),
    )


class RulesForm(ReasonForm):
    """The same with rules."""

    rules = forms.CharField(
        required=False, widget=forms.TextInput(attrs={"placeholder": 'rules: {"rounds": 5}'})
    )


class NextForm(ReasonForm):
    """The same with what the next season is called."""

    slug = forms.CharField(
        required=False, widget=forms.TextInput(attrs={"placeholder": "next season: slug"})
    )
    title = forms.CharField(
        required=False, widget=forms.TextInput(attrs={"placeholder": "next season: title"})
    )


def named(request: HttpRequest) -> list[str]:
    """The bots beside the action."""
    names = request.POST.get("order", "").replace("\0", "").split(",")
    return [name.strip() for name in names if name.strip()]


def enter_named(bracket: Bracket, names: list[str], user: User, reason: str) -> None:
    """Enter the bots of these names, or nobody."""
    if not names:
        raise UserFault("name the bots that enter, as player/bot, player/bot")
    entrants = [Entrant(name, name) for name in names]
    drafts.enter_many(bracket=bracket, entrants=entrants, user=user, reason=reason)


def names_of(request: HttpRequest) -> dict[str, str]:
    """What the next season is called."""
    return {name: request.POST.get(name, "").strip() for name in ("slug", "title")}


@admin.register(Bracket)
class BracketAdmin(Makes):
    make_form = BracketForm
    list_display = ["slug", "title", "game", "state", "started_at", "ended_at"]
    list_filter = ["state", "game"]
    action_form = OrderForm
    actions = ["start", "pause", "resume", "enter", "reseed"]
    start = act(
        "Start (closes the entries, draws round 1)",
        lambda row, reason, user: lifecycle.start(bracket=row, user=user, reason=reason),
        "Started",
    )
    pause = act(
        "Pause (draws and closes nothing)",
        lambda row, reason, user: lifecycle.pause(bracket=row, user=user, reason=reason),
        "Paused",
    )
    resume = act(
        "Resume",
        lambda row, reason, user: lifecycle.resume(bracket=row, user=user, reason=reason),
        "Resumed",
    )
    enter = act(
        "Enter (the bots that are named)",
        lambda row, reason, user, names: enter_named(row, names, user, reason),
        "Entered into",
        given=named,
    )
    reseed = act(
        "Reseed (all entries, strongest first)",
        lambda row, reason, user, names: lifecycle.reseed(
            bracket=row,
            user=user,
            order=[brackets.entry_named(row, name).pk for name in names],
            reason=reason,
        ),
        "Reseeded",
        given=named,
    )


def rules_of(request: HttpRequest) -> dict[str, Any]:
    """The rules beside the action; UserFault when they are none."""
    try:
        found = json.loads(request.POST.get("rules", ""))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UserFault('give the rules that change as a JSON object, such as {"rounds": 5}')
    return found


@admin.register(Stage)
class StageAdmin(Acts):
    list_display = ["bracket", "number", "format", "started_at", "ended_at"]
    list_filter = ["format"]
    list_select_related = ["bracket"]
    action_form = RulesForm
    actions = ["change_rules"]
    change_rules = act(
        "Change rules",
        lambda row, reason, user, changes: lifecycle.change_rules(
            stage=row, user=user, changes=changes, reason=reason
        ),
        "Changed",
        given=rules_of,
    )


@admin.register(Entry)
class EntryAdmin(Acts):
    list_display = ["bracket", "bot", "submission", "seeding", "withdrawn_at", "disqualified"]
    list_filter = ["bracket"]
    list_select_related = ["bracket", "bot__player", "submission__bot__player"]
    actions = ["withdraw", "disqualify"]
    withdraw = act(
        "Withdraw (its tables that are drawn are played)",
        lambda row, reason, user: brackets.withdraw(entry=row, user=user, reason=reason),
        "Withdrawn",
    )
    disqualify = act(
        "Disqualify (its open tables go on without it)",
        lambda row, reason, user: lifecycle.disqualify(entry=row, user=user, reason=reason),
        "Disqualified",
    )


class DeadlineForm(ReasonForm):
    """The same with a time."""

    deadline = forms.CharField(
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "deadline: 2027-01-31T18:00:00Z"}),
    )


def deadline_of(request: HttpRequest) -> datetime:
    """The deadline beside the action; UserFault when it is none."""
    text = request.POST.get("deadline", "").strip()
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise UserFault("give a deadline with its zone, as 2027-01-31T18:00:00Z")
    return found


@admin.register(Round)
class RoundAdmin(Acts):
    list_display = ["stage", "number", "drawn_at", "deadline", "closed_at"]
    list_select_related = ["stage__bracket"]
    action_form = DeadlineForm
    actions = ["extend"]
    extend = act(
        "Extend (gives an open round the deadline)",
        lambda row, reason, user, deadline: lifecycle.extend(
            round_=row, user=user, deadline=deadline, reason=reason
        ),
        "Extended",
        given=deadline_of,
    )


@admin.register(Table)
class TableAdmin(Acts):
    list_display = ["round", "number", "name", "deals", "bye", "closed_at", "left_out", "note"]
    list_select_related = ["round__stage__bracket"]
    show_full_result_count = False
    actions = ["void"]
    void = act(
        "Void (counts for nobody; in a knock-out it is played again)",
        lambda row, reason, user: lifecycle.void_table(table=row, user=user, reason=reason),
        "Voided",
    )


@admin.register(Season)
class SeasonAdmin(Makes):
    make_form = SeasonForm
    list_display = ["slug", "title", "game", "number", "state", "started_at", "ended_at"]
    list_filter = ["state", "game"]
    action_form = NextForm
    actions = ["start", "roll_over"]
    start = act(
        "Start (makes the divisions, draws match day 1)",
        lambda row, reason, user: seasons.start_season(season=row, user=user, reason=reason),
        "Started",
    )
    roll_over = act(
        "Roll over (makes the next season)",
        lambda row, reason, user, names: seasons.roll_over(
            season=row, user=user, **names, reason=reason
        ),
        "Rolled over",
        given=names_of,
    )


@admin.register(Division)
class DivisionAdmin(ReadOnly):
    list_display = ["season", "level", "name", "bracket", "playoff"]
    list_select_related = ["season", "bracket", "playoff"]


@admin.register(MatchDay)
class MatchDayAdmin(Acts):
    list_display = ["season", "number", "starts_at", "deadline"]
    list_select_related = ["season"]
    action_form = DeadlineForm
    actions = ["postpone"]
    postpone = act(
        "Postpone (gives the match day the deadline)",
        lambda row, reason, user, deadline: seasons.postpone(
            match_day=row, user=user, deadline=deadline, reason=reason
        ),
        "Postponed",
        given=deadline_of,
    )


@admin.register(SeasonEntry)
class SeasonEntryAdmin(Acts):
    list_display = ["season", "bot", "division", "withdrawn_at", "disqualified", "outcome"]
    list_filter = ["season", "outcome"]
    list_select_related = ["season", "bot__player", "division"]
    actions = ["withdraw", "disqualify"]
    withdraw = act(
        "Withdraw",
        lambda row, reason, user: seasons.withdraw(entry=row, user=user, reason=reason),
        "Withdrawn",
    )
    disqualify = act(
        "Disqualify (its open tables go on without it)",
        lambda row, reason, user: seasons.disqualify(entry=row, user=user, reason=reason),
        "Disqualified",
    )
