"""/api/v1/: everything that the service holds, as JSON."""

from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView
from rest_framework.routers import SimpleRouter

from api.views.accounts import Me, NoticeViewSet, PlayerViewSet, SignUp, TokenViewSet
from api.views.bots import BotViewSet, SubmissionViewSet
from api.views.brackets import BracketViewSet
from api.views.games import GameDetail, GameList
from api.views.ladders import LadderViewSet, RatingChangeViewSet
from api.views.matches import MatchViewSet, WorkerViewSet

router = SimpleRouter()
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
    path("", include(router.urls)),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerView.as_view(url_name="schema"), name="api-docs"),
]
urlpatterns = [path("v1/", include(v1))]
