"""The organiser's pages for matches, ratings and workers.

Rows are read-only. Acts are actions: they need a reason, call the functions that everybody calls,
and are logged there.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest

from bots.admin import ReadOnly, SubmissionAdmin
from bots.faults import UserFault
from bots.models import Submission, User
from bots.submissions import reinstate
from tournaments import brackets, dispatch, entrants, lifecycle, workers
from tournaments.models import (
    Attempt,
    Bracket,
    Contestant,
    Entry,
    Generation,
    Ladder,
    Match,
    Play,
    Rating,
    RatingChange,
    Round,
    Table,
    Worker,
)


class ReasonForm(ActionForm):
    """The choice of an act, and why."""

    reason = forms.CharField(
        required=False, max_length=500, widget=forms.TextInput(attrs={"placeholder": "reason"})
    )


class Acts(ReadOnly):
    """Read-only rows on which an organiser acts."""

    action_form = ReasonForm

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Acts change rows, so they need the right to, which the pages themselves never use."""
        meta = self.opts
        return bool(request.user.has_perm(f"{meta.app_label}.change_{meta.model_name}"))

    def act(
        self,
        request: HttpRequest,
        rows: Iterable[Any],
        do: Callable[[Any, str, User], object],
        done: str,
    ) -> None:
        """Do it to each row, and say for how many it was done and for which not, and why."""
        reason = request.POST.get("reason", "").strip()
        if not reason:
            self.message_user(
                request, "Give a reason beside the action: it is logged.", messages.ERROR
            )
            return
        user = request.user
        assert isinstance(user, User)
        count = 0
        for row in rows:
            try:
                count += do(row, reason, user) is not False
            except UserFault as fault:
                self.message_user(request, f"{row}: {fault.message}", messages.ERROR)
        self.message_user(request, f"{done}: {count}")


class ContestantInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Contestant
    extra = 0
    can_delete = False
    fields = ("number", "submission", "place", "place_points", "margin", "failures")
    readonly_fields = ("number", "submission", "place", "place_points", "margin", "failures")

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Match)
class MatchAdmin(Acts):
    list_display = ["id", "kind", "game", "players", "state", "rated", "attempt", "created_at"]
    list_filter = ["kind", "state", "game", "rated"]
    list_per_page = 50
    show_full_result_count = False
    inlines = [ContestantInline]
    actions = ["void", "requeue"]

    def get_fields(self, request: HttpRequest, obj: Match | None = None) -> list[Any]:
        fields = [field.name for field in Match._meta.fields if field.name != "seed"]
        # Nobody sees the deal of a match that goes on, organisers included.
        return [*fields, "seed"] if obj is not None and obj.is_over else fields

    @admin.action(description="Void (no contest)", permissions=["act"])
    def void(self, request: HttpRequest, queryset: QuerySet[Match]) -> None:
        self.act(
            request,
            queryset,
            lambda match, reason, user: dispatch.void(match=match, reason=reason, user=user),
            "Voided",
        )

    @admin.action(description="Take from its worker and queue again", permissions=["act"])
    def requeue(self, request: HttpRequest, queryset: QuerySet[Match]) -> None:
        self.act(
            request,
            queryset,
            lambda match, reason, user: dispatch.requeue(match=match, reason=reason, user=user),
            "Queued again",
        )


@admin.register(Attempt)
class AttemptAdmin(ReadOnly):
    list_display = ["match_id", "number", "state", "worker", "started_at", "ended_at", "outcome"]
    list_filter = ["state", "worker"]
    list_select_related = ["worker"]
    show_full_result_count = False
    exclude = ["token"]  # whoever has it may report


@admin.register(Play)
class PlayAdmin(ReadOnly):
    list_display = ["match_id", "rotation", "scores", "places", "failures", "decisions"]
    show_full_result_count = False


@admin.register(Ladder)
class LadderAdmin(ReadOnly):
    list_display = ["slug", "game", "edition", "open", "generation", "seq"]


@admin.register(Generation)
class GenerationAdmin(ReadOnly):
    list_display = ["ladder", "number", "without", "reason", "created_at"]


@admin.register(Rating)
class RatingAdmin(ReadOnly):
    list_display = ["submission", "ladder", "generation", "mu", "sigma", "matches", "listed"]
    list_filter = ["ladder", "listed"]
    list_select_related = ["ladder", "submission__bot__player"]
    show_full_result_count = False


@admin.register(RatingChange)
class RatingChangeAdmin(ReadOnly):
    list_display = ["ladder", "generation", "seq", "kind", "submission", "match_id", "mu", "sigma"]
    list_filter = ["ladder", "kind"]
    list_select_related = ["ladder", "submission__bot__player"]
    show_full_result_count = False


@admin.register(Worker)
class WorkerAdmin(Acts):
    list_display = [
        "name",
        "tier",
        "languages",
        "slots",
        "seen_at",
        "paused",
        "draining",
        "problem",
    ]
    actions = ["pause", "drain", "resume"]

    @admin.action(description="Pause (takes no new match)", permissions=["act"])
    def pause(self, request: HttpRequest, queryset: QuerySet[Worker]) -> None:
        self.act(
            request,
            queryset,
            lambda worker, reason, user: workers.pause(worker=worker, reason=reason, user=user),
            "Paused",
        )

    @admin.action(description="Drain (ends what it plays, takes no more)", permissions=["act"])
    def drain(self, request: HttpRequest, queryset: QuerySet[Worker]) -> None:
        self.act(
            request,
            queryset,
            lambda worker, reason, user: workers.drain(worker=worker, reason=reason, user=user),
            "Draining",
        )

    @admin.action(description="Resume", permissions=["act"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Worker]) -> None:
        self.act(
            request,
            queryset,
            lambda worker, reason, user: workers.resume(worker=worker, reason=reason, user=user),
            "Resumed",
        )


@admin.register(Bracket)
class BracketAdmin(Acts):
    list_display = ["slug", "title", "game", "state", "started_at", "ended_at"]
    list_filter = ["state", "game"]
    actions = ["start", "pause", "resume"]

    @admin.action(description="Start (closes the entries, draws round 1)", permissions=["act"])
    def start(self, request: HttpRequest, queryset: QuerySet[Bracket]) -> None:
        self.act(
            request,
            queryset,
            lambda bracket, reason, user: lifecycle.start(
                bracket=bracket, user=user, reason=reason
            ),
            "Started",
        )

    @admin.action(description="Pause (draws and closes nothing)", permissions=["act"])
    def pause(self, request: HttpRequest, queryset: QuerySet[Bracket]) -> None:
        self.act(
            request,
            queryset,
            lambda bracket, reason, user: lifecycle.pause(
                bracket=bracket, user=user, reason=reason
            ),
            "Paused",
        )

    @admin.action(description="Resume", permissions=["act"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Bracket]) -> None:
        self.act(
            request,
            queryset,
            lambda bracket, reason, user: lifecycle.resume(
                bracket=bracket, user=user, reason=reason
            ),
            "Resumed",
        )


@admin.register(Entry)
class EntryAdmin(Acts):
    list_display = ["bracket", "bot", "submission", "seeding", "withdrawn_at"]
    list_filter = ["bracket"]
    list_select_related = ["bracket", "bot__player", "submission__bot__player"]
    actions = ["withdraw"]

    @admin.action(description="Withdraw", permissions=["act"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Entry]) -> None:
        self.act(
            request,
            queryset,
            lambda entry, reason, user: brackets.withdraw(entry=entry, reason=reason, user=user),
            "Withdrawn",
        )


@admin.register(Round)
class RoundAdmin(ReadOnly):
    list_display = ["stage", "number", "drawn_at", "deadline", "closed_at"]


@admin.register(Table)
class TableAdmin(ReadOnly):
    list_display = ["round", "number", "deals", "bye", "closed_at", "left_out", "note"]


admin.site.unregister(Submission)


@admin.register(Submission)
class SubmissionActsAdmin(Acts, SubmissionAdmin):
    """The bots' page of versions, with the acts that concern the ladder as well."""

    actions = ["suspend", "reinstate", "activate"]

    @admin.action(description="Suspend", permissions=["act"])
    def suspend(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        self.act(
            request,
            queryset.select_related("bot__player"),
            lambda version, reason, user: entrants.suspend(
                submission=version, reason=reason, user=user
            ),
            "Suspended",
        )

    @admin.action(description="Reinstate", permissions=["act"])
    def reinstate(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        self.act(
            request,
            queryset.select_related("bot__player"),
            lambda version, reason, user: reinstate(version, reason=reason, user=user),
            "Reinstated",
        )

    @admin.action(description="Activate", permissions=["act"])
    def activate(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        self.act(
            request,
            queryset.select_related("bot__player"),
            lambda version, reason, user: entrants.activate_for(
                submission=version, reason=reason, user=user
            ),
            "Activated",
        )
