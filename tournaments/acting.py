"""What the organiser's pages share: read-only rows, and acts on them that need a reason."""

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest

from bots.admin import ReadOnly
from bots.faults import UserFault
from bots.models import User


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


def act(
    text: str,
    do: Callable[..., object],
    done: str,
    *,
    given: Callable[[HttpRequest], object] | None = None,
) -> Any:
    """An action of a page: `do` with each chosen row, the reason and who acts, and with what stands
    beside the action where `given` reads it."""

    @admin.action(description=text, permissions=["act"])
    def action(page: Acts, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        def do_it(row: Any, reason: str, user: User) -> object:
            return do(row, reason, user, *(() if given is None else (given(request),)))

        page.act(request, queryset, do_it, done)

    return action
