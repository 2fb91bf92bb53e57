"""The organiser's pages for matches, ratings and workers.

Rows are read-only. Acts are actions: they need a reason, call the functions that everybody calls,
and are logged there.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from bots.admin import ReadOnly, SubmissionAdmin
from bots.models import Submission
from bots.submissions import reinstate
from tournaments import bracket_admin, dispatch, entrants, workers
from tournaments.acting import Acts
from tournaments.models import (
    Attempt,
    Contestant,
    Generation,
    Ladder,
    Match,
    Play,
    Rating,
    RatingChange,
    Worker,
)

__all__ = ["bracket_admin"]  # importing it registers its pages


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
        hidden = {"seed", "archive"}
        fields = [field.name for field in Match._meta.fields if field.name not in hidden]
        # Nobody sees the deal of a match that goes on, organisers included.
        seed = ["seed"] if obj is not None and obj.is_over else []
        return [*fields, "stored_as", *seed]

    @admin.display(description="Its file")
    def stored_as(self, match: Match) -> str:
        """The name in the storage, which no address leads to: a file has logs of all owners."""
        return match.archive.name or "–"

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
