"""Forms. What they do is done by the functions that the API calls too."""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms

from bots.faults import UserFault
from bots.models import Player, Token
from engine import games

Result = TypeVar("Result")


def attempt(form: forms.Form, act: Callable[[], Result]) -> Result | None:
    """Do it; what the user can mend is shown beside its field, and None returned."""
    try:
        return act()
    except UserFault as fault:
        field = fault.field if fault.field in form.fields else None
        form.add_error(field, fault.message)
        return None


class SignUpForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address", widget=forms.EmailInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
        help_text="At least 8 characters, not only digits, nothing that everybody uses.",
    )
    handle = forms.CharField(
        max_length=40,
        help_text="Your player's name in addresses: lower-case letters, digits, hyphens. "
        "It never changes.",
    )
    name = forms.CharField(
        max_length=80, required=False, label="Display name", help_text="Shown beside the handle."
    )


class TokenForm(forms.Form):
    name = forms.CharField(max_length=80, help_text="To tell it from others, such as 'laptop'.")
    scopes = forms.MultipleChoiceField(
        choices=[(scope.value, f"{scope.value}: {scope.label}") for scope in Token.Scope],
        widget=forms.CheckboxSelectMultiple,
    )
    expires_at = forms.DateTimeField(
        required=False,
        label="Expires (UTC)",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text="Leave empty for a key that lives until it is revoked.",
    )


class BotForm(forms.Form):
    """A new bot; `players` are those that the user acts for."""

    player = forms.ModelChoiceField(Player.objects.none(), to_field_name="handle", empty_label=None)
    game = forms.ChoiceField()
    name = forms.CharField(
        max_length=40, help_text="Lower-case letters, digits and hyphens, such as 'sea-wolf-2'."
    )

    def __init__(self, players: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["player"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = players
        choice = self.fields["game"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(game.name, game.title) for game in games.all()]


class TestForm(forms.Form):
    opponents = forms.CharField(
        max_length=1000,
        help_text="player/bot, with commas between them, such as house/greedy, house/random. "
        "A version of a bot of yours: player/bot/v3.",
    )
    every_seat = forms.BooleanField(
        required=False, initial=True, label="One play in each seat, else one in all"
    )

    def clean_opponents(self) -> list[str]:
        names = self.cleaned_data["opponents"].split(",")
        return [name.strip() for name in names if name.strip()]


class UploadForm(forms.Form):
    package = forms.FileField(
        help_text="A zip with bot.toml at its root, or one .py file; at most 10 MB."
    )
    activate = forms.BooleanField(
        required=False, initial=True, label="Activate it as soon as it qualifies"
    )
    rewrite = forms.BooleanField(
        required=False,
        label="It is a rewrite",
        help_text="Its rating then starts less sure than an update's.",
    )
