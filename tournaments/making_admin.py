"""The admin's forms that make brackets and seasons, with their entrants."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from bots.faults import UserFault
from bots.models import User
from engine import games
from tournaments import brackets, seasons
from tournaments.acting import Acts
from tournaments.interchange import drafts
from tournaments.interchange.entrants import Entrant, RowsRefused, kind_of, read_entrants
from tournaments.rule_words import pairs_of, stage_of


def lines_of(text: str) -> list[str]:
    """The lines that hold anything."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def _lines(rows: int, placeholder: str) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "cols": 60, "placeholder": placeholder})


class MakeForm(forms.Form):
    """What brackets and seasons are both made from."""

    game = forms.ChoiceField(choices=lambda: [(game.name, game.title) for game in games.all()])
    slug = forms.CharField(help_text="Its name in addresses: lower-case letters, digits, hyphens")
    title = forms.CharField()
    rated = forms.BooleanField(required=False, initial=True, help_text="Its matches are rated")
    options = forms.CharField(
        required=False,
        widget=_lines(2, "NAME=VALUE"),
        help_text="Options of the game, one a line; the game's own otherwise",
    )
    time_control = forms.CharField(
        required=False,
        widget=_lines(2, "move_ms=500"),
        help_text="start_ms, move_ms, bank_ms, one a line; the ladder's otherwise",
    )
    entries = forms.CharField(
        required=False,
        widget=_lines(8, "player/bot"),
        help_text="Bots that enter at once, one a line. Others may enter until the start",
    )
    file = forms.FileField(required=False, help_text="The same as a .csv, .json or .trf list")

    # Where a fault is said that has a field of the request which is none of the form's.
    said_in: Mapping[str, str] = {"bot": "entries"}

    def make(self, user: User) -> Any:
        """Make it, open for entries, and enter the list; UserFault says what is wrong."""
        raise NotImplementedError

    def entrants(self) -> list[Entrant]:
        """Those of the lines and of the file."""
        names = lines_of(self.cleaned_data["entries"])
        found = [Entrant(f"line {number}", name) for number, name in enumerate(names, start=1)]
        file = self.cleaned_data["file"]
        return [*found, *(read_entrants(file.read(), kind_of(file.name)) if file else [])]

    def conditions(self) -> dict[str, Any]:
        """What both are made with."""
        given = self.cleaned_data
        return {
            "slug": given["slug"],
            "title": given["title"],
            "game": given["game"],
            "rated": given["rated"],
            "options": self.read("options", pairs_of),
            "time_control": self.read("time_control", pairs_of),
        }

    def read(self, name: str, read: Callable[[list[str]], Any]) -> Any:
        """The lines of a field as they are read; what is wrong there is said beside it."""
        try:
            return read(lines_of(self.cleaned_data[name]))
        except UserFault as fault:
            raise UserFault(fault.message, field=name) from None

    def refuse(self, fault: UserFault) -> None:
        """Say what was wrong beside what it is about."""
        if isinstance(fault, RowsRefused):
            for where, why in fault.rows:
                self.add_error("entries", f"{where}: {why}")
        else:
            name = (fault.field or "").partition(".")[0]
            name = self.said_in.get(name, name)
            self.add_error(name if name in self.fields else None, fault.message)


class BracketForm(MakeForm):
    stages = forms.CharField(
        widget=_lines(3, "swiss:rounds=5,table_size=4,advance=8\nsingle-elimination"),
        help_text="FORMAT or FORMAT:RULE=VALUE,…; one a line, in order. Formats: round-robin, "
        "swiss, single-elimination, double-elimination, groups",
    )
    follow_active = forms.BooleanField(
        required=False, help_text="Entries play each round with their bot's active version"
    )
    field_order = ("game", "slug", "title", "stages", "follow_active")
    said_in = {**MakeForm.said_in, "format": "stages", "rules": "stages"}

    def make(self, user: User) -> Any:
        made = brackets.create_bracket(
            **self.conditions(),
            stages=self.read("stages", lambda lines: [stage_of(line) for line in lines]),
            follow_active=self.cleaned_data["follow_active"],
            organiser=user,
        )
        if entrants := self.entrants():
            drafts.enter_many(bracket=made, entrants=entrants, user=user)
        return made


class SeasonForm(MakeForm):
    rules = forms.CharField(
        required=False,
        widget=_lines(4, "division_size=8\nmatch_days=6"),
        help_text="RULE=VALUE, one a line; each that is left out takes its default",
    )
    starts_at = forms.DateTimeField(
        required=False, help_text="UTC, as 2027-01-31 18:00; it then starts by itself"
    )
    field_order = ("game", "slug", "title", "rules", "starts_at")

    def make(self, user: User) -> Any:
        made = seasons.create_season(
            **self.conditions(),
            rules=self.read("rules", pairs_of),
            starts_at=self.cleaned_data["starts_at"],
            organiser=user,
        )
        if entrants := self.entrants():
            drafts.enter_season_many(season=made, entrants=entrants, user=user)
        return made


class Makes(Acts):
    """Rows that a form makes and that only acts change."""

    make_form: type[MakeForm]

    def has_add_permission(self, request: HttpRequest) -> bool:
        meta = self.opts
        return bool(request.user.has_perm(f"{meta.app_label}.add_{meta.model_name}"))

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The form; what was typed stays where something is wrong, and nothing is then made."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        user, meta = request.user, self.opts
        assert isinstance(user, User)
        form = self.make_form(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid():
            try:
                with transaction.atomic():
                    made = form.make(user)
            except UserFault as fault:
                form.refuse(fault)
            else:
                entered = made.entries.count()
                done = f"The {meta.verbose_name} {made.slug} is open for entries; {entered} entered"
                self.message_user(request, done)
                name = f"admin:{meta.app_label}_{meta.model_name}_change"
                return redirect(reverse(name, args=[made.pk]))
        context = {
            **self.admin_site.each_context(request),
            "title": f"Make a {meta.verbose_name}",
            "form": form,
            "opts": meta,
        }
        return TemplateResponse(request, "admin/tournaments/make.html", context)
