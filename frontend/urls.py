"""Pages for people."""

from django.contrib.auth import views as auth
from django.urls import path

from frontend.views import (
    accounts,
    bots,
    brackets,
    docs,
    ladders,
    matches,
    replays,
    seasons,
    workers,
)

urlpatterns = [
    path("", ladders.home, name="home"),
    path("favicon.ico", ladders.icon, name="icon"),
    path("ladders/<slug:slug>/", ladders.ladder, name="ladder"),
    path("players/<slug:handle>/", bots.player, name="player"),
    path("bots/new/", bots.new_bot, name="new-bot"),
    path("bots/<int:pk>/", bots.bot, name="bot"),
    path("bots/<int:pk>/upload/", bots.upload, name="upload"),
    path("bots/<int:pk>/deactivate/", bots.deactivate, name="deactivate"),
    path("submissions/<int:pk>/", bots.submission, name="submission"),
    path("submissions/<int:pk>/test/", bots.test_match, name="test-match"),
    path("submissions/<int:pk>/activate/", bots.activate, name="activate"),
    path("matches/", matches.matches, name="matches"),
    path("matches/<int:pk>/", matches.match, name="match"),
    path("matches/<int:pk>/plays/<int:rotation>/", replays.replay, name="replay"),
    path("matches/<int:pk>/plays/<int:rotation>/file/", matches.replay_file, name="replay-file"),
    path(
        "matches/<int:pk>/plays/<int:rotation>/seats/<int:seat>/",
        matches.seat_log,
        name="seat-log",
    ),
    path("brackets/", brackets.brackets, name="brackets"),
    path("brackets/<slug:slug>/", brackets.bracket, name="bracket"),
    path("seasons/", seasons.seasons, name="seasons"),
    path("seasons/<slug:slug>/", seasons.season, name="season"),
    path("workers/", workers.workers, name="workers"),
    path("workers/<int:pk>/<slug:verb>/", workers.act, name="worker-act"),
    path("docs/", docs.docs, name="docs"),
    path("docs/<path:page>/", docs.docs, name="docs-page"),
    path("sign-up/", accounts.sign_up, name="sign-up"),
    path("account/", accounts.account, name="account"),
    path("account/notices/", accounts.mail_notices, name="mail-notices"),
    path("account/tokens/<int:pk>/revoke/", accounts.revoke_token, name="revoke-token"),
    path("notices/", accounts.notices, name="notices"),
    path("log-in/", accounts.LogIn.as_view(), name="log-in"),
    path("log-out/", auth.LogoutView.as_view(), name="log-out"),
    path(
        "account/password/",
        auth.PasswordChangeView.as_view(template_name="frontend/password_change.html"),
        name="password_change",
    ),
    path(
        "account/password/done/",
        auth.PasswordChangeDoneView.as_view(template_name="frontend/password_changed.html"),
        name="password_change_done",
    ),
    path(
        "password-reset/",
        accounts.PasswordReset.as_view(),
        name="password_reset",
    ),
    path(
        "password-reset/sent/",
        auth.PasswordResetDoneView.as_view(template_name="frontend/password_reset_sent.html"),
        name="password_reset_done",
    ),
    path(
        "password-reset/<uidb64>/<token>/",
        auth.PasswordResetConfirmView.as_view(template_name="frontend/password_new.html"),
        name="password_reset_confirm",
    ),
    path(
        "password-reset/done/",
        auth.PasswordResetCompleteView.as_view(template_name="frontend/password_changed.html"),
        name="password_reset_complete",
    ),
]
