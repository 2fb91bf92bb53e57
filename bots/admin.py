"""The organiser's pages for accounts and bots. What has a life of its own is read-only here."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.http import HttpRequest

from bots.accounts import record_act
from bots.models import Act, Bot, Membership, Notice, Player, Submission, Token, User

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Any]
    AnyInline = admin.TabularInline[Any, Any]
    BaseUserAdmin = DjangoUserAdmin[User]
else:  # at run time these classes take no parameters
    AnyAdmin, AnyInline, BaseUserAdmin = admin.ModelAdmin, admin.TabularInline, DjangoUserAdmin


class ReadOnly(AnyAdmin):
    """Rows that only the service's own functions change."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(User)
class UserAdmin(BaseUserAdmin):
    ordering = ["email"]
    list_display = ["email", "is_staff", "is_active", "last_login"]
    search_fields = ["email"]
    fieldsets = [
        (None, {"fields": ["email", "password"]}),
        ("Rights", {"fields": ["is_active", "is_staff", "is_superuser", "groups"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [(None, {"fields": ["email", "password1", "password2"]})]


class MembershipInline(AnyInline):
    model = Membership
    extra = 0
    autocomplete_fields = ["user"]


@admin.register(Player)
class PlayerAdmin(AnyAdmin):
    list_display = ["handle", "name", "house", "created_at"]
    search_fields = ["handle", "name"]
    inlines = [MembershipInline]

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Who joins a player sees what is its own: that is an act, and logged."""
        super().save_formset(request, form, formset, change)
        user = request.user
        assert isinstance(user, User)
        changed = [
            *(("add", row) for row in formset.new_objects),
            *(("change", row) for row, _ in formset.changed_objects),
            *(("remove", row) for row in formset.deleted_objects),
        ]
        for verb, row in changed:
            record_act(
                user=user,
                verb=f"{verb} member",
                target=f"player {row.player_id}",
                reason=f"user {row.user_id} as {row.role}, in the admin",
            )

    def get_readonly_fields(self, request: HttpRequest, obj: Player | None = None) -> list[str]:
        return ["handle"] if obj else []  # it stands in URLs


@admin.register(Bot)
class BotAdmin(ReadOnly):
    list_display = ["__str__", "game", "active", "active_since", "created_at"]
    list_filter = ["game"]
    list_select_related = ["player", "active__bot__player"]
    search_fields = ["name", "player__handle"]


@admin.register(Submission)
class SubmissionAdmin(ReadOnly):
    list_display = ["__str__", "state", "language", "size", "uploaded_at", "reason"]
    list_filter = ["state", "language", "bot__game"]
    list_select_related = ["bot__player"]
    search_fields = ["bot__name", "bot__player__handle", "sha256"]
    # The package and its log belong to the owner; staff see the reason.
    fields = [
        "bot",
        "number",
        "state",
        "reason",
        "language",
        "entry",
        "version",
        "size",
        "sha256",
        "rewrite",
        "activate",
        "uploaded_by",
        "uploaded_at",
        "check_started_at",
        "checked_at",
    ]


@admin.register(Token)
class TokenAdmin(ReadOnly):
    list_display = ["__str__", "user", "scopes", "created_at", "last_used_at", "revoked_at"]
    fields = ["user", "name", "prefix", "scopes", "created_at", "expires_at", "last_used_at"]
    list_select_related = ["user"]


@admin.register(Notice)
class NoticeAdmin(ReadOnly):
    list_display = ["user", "kind", "text", "created_at", "read_at"]


@admin.register(Act)
class ActAdmin(ReadOnly):
    list_display = ["created_at", "user", "verb", "target", "reason"]
    list_filter = ["verb"]
