"""Signing up, the account page, tokens, notices."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from bots import accounts, mail
from bots.faults import UserFault
from bots.limits import take
from bots.models import Notice, Player, Token, User
from frontend.forms import SignUpForm, TokenForm, attempt
from frontend.pages import newest_first


def user_of(request: HttpRequest) -> User:
    """The user behind a page that needs one."""
    assert isinstance(request.user, User)
    return request.user


def address(request: HttpRequest) -> str:
    """Where a request comes from; behind proxies all come from the nearest one."""
    return str(request.META.get("REMOTE_ADDR", ""))


class LogInForm(AuthenticationForm):
    """E-mail and password; guessing is slowed down."""

    def clean(self) -> dict[str, object]:
        assert self.request is not None
        try:
            take("log-in", address(self.request), times=60, seconds=600)
            take("log-in", self.cleaned_data.get("username") or "", times=10, seconds=600)
        except UserFault as fault:
            raise ValidationError(fault.message) from None
        return super().clean()


class LogIn(auth.LoginView):
    """The log-in page."""

    template_name = "frontend/log_in.html"
    authentication_form = LogInForm


class PasswordReset(auth.PasswordResetView):
    """The page that sends a mail to set a new password."""

    template_name = "frontend/password_reset.html"
    email_template_name = "frontend/password_reset_mail.txt"
    subject_template_name = "frontend/password_reset_subject.txt"

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        try:
            take("password-reset", address(self.request), times=20, seconds=3600)
            take("password-reset", form.cleaned_data["email"], times=3, seconds=3600)
        except UserFault as fault:
            form.add_error("email", fault.message)
            return self.form_invalid(form)
        return super().form_valid(form)


@sensitive_post_parameters("password")
def sign_up(request: HttpRequest) -> HttpResponse:
    """Make an account and a player, and log in."""
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():

        def sign() -> tuple[User, Player]:
            take("sign-up", address(request), times=20, seconds=3600)
            return accounts.sign_up(**form.cleaned_data)

        made = attempt(form, sign)
        if made is not None:
            login(request, made[0])
            messages.success(request, "Welcome. Make your first bot below.")
            return redirect("account")
    return render(request, "frontend/sign_up.html", {"form": form})


@never_cache
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """The user's players, bots and keys."""
    user = user_of(request)
    form = TokenForm(request.POST or None, initial={"scopes": ["read", "submit"]})
    key = None
    if request.method == "POST" and form.is_valid():
        made = attempt(form, lambda: accounts.make_token(user=user, **form.cleaned_data))
        if made is not None:
            key = made[1]
            form = TokenForm(initial={"scopes": ["read", "submit"]})
    return render(
        request,
        "frontend/account.html",
        {
            "form": form,
            "key": key,
            "players": user.players.prefetch_related("bots__active"),
            "mail_server": bool(settings.EMAIL_HOST),
            "tokens": user.tokens.filter(revoked_at=None).order_by("-pk"),
        },
    )


@require_POST
@login_required
def mail_notices(request: HttpRequest) -> HttpResponse:
    """Have notices by e-mail too, or no more."""
    user, by_mail = user_of(request), request.POST.get("by_mail") == "yes"
    try:
        mail.wish(user=user, by_mail=by_mail)
    except UserFault as fault:
        messages.error(request, fault.message)
    else:
        how = f"also go to {user.email}" if by_mail else "are shown here only"
        messages.success(request, f"From now on your notices {how}.")
    return redirect("account")


@require_POST
@login_required
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """End the life of one of the user's keys."""
    token = get_object_or_404(Token, pk=pk, user=user_of(request))
    accounts.revoke_token(token)
    messages.success(request, f"The key {token.name} is revoked.")
    return redirect("account")


@never_cache
@login_required
def notices(request: HttpRequest) -> HttpResponse:
    """What the user should know; showing it marks it as read."""
    page = newest_first(request, Notice.objects.filter(user=user_of(request)))
    shown = render(request, "frontend/notices.html", {"page": page})
    Notice.objects.filter(pk__in=[notice.pk for notice in page.rows], read_at=None).update(
        read_at=timezone.now()
    )
    return shown
