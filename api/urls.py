"""/api/v1/: everything that the service holds, as JSON."""

from typing import Any

from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView
from rest_framework.routers import SimpleRouter

from api.views.accounts import Me, NoticeViewSet, PlayerViewSet, SignUp, TokenViewSet
from api.views.bots import BotViewSet, SubmissionViewSet
from api.views.brackets import BracketViewSet
from api.views.files import BracketCsv, BracketJson, BracketReport, SchemaFile
from api.views.games import GameDetail, GameList
from api.views.ladders import LadderViewSet, RatingChangeViewSet, ratings
from api.views.matches import MatchViewSet, WorkerViewSet
from api.views.seasons import SeasonCsv, SeasonJson, SeasonViewSet
from tournaments.interchange.sheets import SHEETS


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
router.register("seasons", SeasonViewSet)
router.register("workers", WorkerViewSet)

v1: list[URLPattern | URLResolver] = [
    path("ladders/<slug:slug>/ratings/", ratings),  # first, since it is asked for most
    path("sign-up/", SignUp.as_view()),
    path("me/", Me.as_view()),
    path("games/", GameList.as_view()),
    path("games/<str:name>/", GameDetail.as_view()),
    path("brackets/<slug:slug>/export.json", BracketJson.as_view()),
    path("brackets/<slug:slug>/report.trf", BracketReport.as_view()),
    *(
        path(f"brackets/<slug:slug>/{sheet}.csv", BracketCsv.as_view(sheet=sheet))
        for sheet in SHEETS
    ),
    path("seasons/<slug:slug>/export.json", SeasonJson.as_view()),
    path("seasons/<slug:slug>/standings.csv", SeasonCsv.as_view()),
    re_path(r"^schemas/(?P<kind>bracket|season)-1\.json$", SchemaFile.as_view()),
    path("", include(router.urls)),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerView.as_view(url_name="schema"), name="api-docs"),
]
urlpatterns = [path("v1/", include(v1))]
