"""/api/v1/: everything that the service holds, as JSON."""

from typing import Any

from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView
from rest_framework.routers import SimpleRouter

from api.views.accounts import Me, NoticeViewSet, PlayerViewSet, SignUp, TokenViewSet
from api.views.bots import BotViewSet, SubmissionViewSet
from api.views.brackets import BracketViewSet
from api.views.games import GameDetail, GameList
from api.views.ladders import LadderViewSet, RatingChangeViewSet, ratings
from api.views.matches import MatchViewSet, WorkerViewSet


class Router(SimpleRouter):
    """An id is written in one way, in digits; Python would also read "+1" and "1_0" as numbers."""

    def get_lookup_regex(self, viewset: Any, lookup_prefix: str = "") -> str:
        if viewset.lookup_field == "pk":
            return f"(?P<{lookup_prefix}pk>[0-9]{{1,18}})"
        return super().get_lookup_regex(viewset, lookup_prefix)


router = Router()
router.register("tokens", TokenViewSet)
router.register("players", PlayerViewSet)
router.register("notices", NoticeViewSet)
router.register("bots", BotViewSet)
router.register("submissions", SubmissionViewSet)
router.register("ladders", LadderViewSet)
router.register("ledger", RatingChangeViewSet)
router.register("matches", MatchViewSet)
router.register("brackets", BracketViewSet)
router.register("workers", WorkerViewSet)

v1: list[URLPattern | URLResolver] = [
    path("sign-up/", SignUp.as_view()),
    path("me/", Me.as_view()),
    path("games/", GameList.as_view()),
    path("games/<str:name>/", GameDetail.as_view()),
    path("ladders/<slug:slug>/ratings/", ratings),
    path("", include(router.urls)),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerView.as_view(url_name="schema"), name="api-docs"),
]
urlpatterns = [path("v1/", include(v1))]
