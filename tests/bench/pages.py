"""What bench_pages measures: calls of the two databases in turn, in this process."""

import statistics
import time
from urllib.parse import quote

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import path
from rest_framework import generics, pagination, serializers

import deploy.urls
from api.pagination import Pages
from api.serializers.bots import SubmissionRefSerializer
from api.throttling import PerAddress, PerUser
from tests.bench.big_ladder import generate
from tournaments import ladders, page_memory, pictures, table_pages
from tournaments.models import Ladder, Rating
from tournaments.table_pages import Cut

SLUG = "deca-slayer-1"
TABLE = f"/api/v1/ladders/{SLUG}/ratings/"
DEPTH = 50_000
# Bot 3 plays more than others, 500 as much as any.
ADDRESSES = [
    "/", f"/ladders/{SLUG}/", "/matches/", "/matches/?state=queued", "/matches/?state=void",
    "/matches/500/", "/bots/500/", "/bots/3/", "/players/player-500/", "/submissions/500/",
    "/brackets/", "/api/v1/games/", "/api/v1/ladders/", f"/api/v1/ladders/{SLUG}/", TABLE,
    f"{TABLE}?player=player-500", f"{TABLE}?bot=500", "/api/v1/ledger/",
    f"/api/v1/ledger/?ladder={SLUG}", "/api/v1/ledger/?bot=500", "/api/v1/ledger/?bot=3",
    "/api/v1/ledger/?submission=500", "/api/v1/ledger/?match=500", "/api/v1/matches/",
    f"/api/v1/matches/?ladder={SLUG}", "/api/v1/matches/?bot=500", "/api/v1/matches/?bot=3",
    "/api/v1/matches/?player=player-500", "/api/v1/matches/?state=queued",
    "/api/v1/matches/?state=finished", "/api/v1/matches/?kind=bracket", "/api/v1/matches/500/",
    "/api/v1/bots/", "/api/v1/bots/?player=player-500", "/api/v1/bots/?game=deca-slayer",
    "/api/v1/submissions/", "/api/v1/submissions/?bot=500", "/api/v1/submissions/?state=rejected",
    "/api/v1/players/", "/api/v1/brackets/",
]  # fmt: skip


class RatingRow(serializers.ModelSerializer):
    """The peer's row: what the table shows, without its ranks."""

    submission = SubmissionRefSerializer()

    class Meta:
        model = Rating
        fields = ["submission", "mu", "sigma", "ordinal", "matches"]


class Cursor(pagination.CursorPagination):
    page_size, page_size_query_param, ordering = 50, "limit", ("-ordinal", "id")


class Peer(generics.ListAPIView):
    """The table as a plain list view."""

    serializer_class, pagination_class, filter_backends = RatingRow, Cursor, []

    def get_queryset(self):
        ladder = Ladder.objects.get(slug=SLUG)
        return Rating.objects.filter(
            ladder=ladder, generation=ladder.generation, listed=True
        ).select_related("submission__bot__player")


def constant(request):
    return HttpResponse(b'{"constant": true}', content_type="application/json")


class Bench:
    def __init__(self, names, sizes, calls, say):
        self.names, self.sizes, self.calls, self.say = names, sizes, calls, say
        settings.STORAGES = {
            **settings.STORAGES,
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        }
        settings.ALLOWED_HOSTS = ["testserver"]
        PerAddress.THROTTLE_RATES = PerUser.THROTTLE_RATES = {"anon": None, "user": None}
        deploy.urls.urlpatterns[:0] = [path("peer/", Peer.as_view()), path("ping/", constant)]

    def run(self, parts, *, keep):
        try:
            for name in self.names:
                self.fill(name)
            for part in parts:
                getattr(self, part)()
        finally:
            self.on(None)
            if not keep:
                with connection.cursor() as cursor:
                    for name in self.names.values():
                        cursor.execute(f"DROP DATABASE IF EXISTS {name}")

    def on(self, name):
        """Work on one of the databases, or on the server's own, and forget the other."""
        connection.close()
        connection.settings_dict["NAME"] = self.names.get(name, "postgres")
        page_memory._heads.clear()
        pictures._pictures.clear()
        ladders._waiting.clear()

    def fill(self, name):
        bots, matches = self.sizes[name]
        self.on(None)
        with connection.cursor() as cursor:
            database = self.names[name]
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database])
            there = cursor.fetchone()
            if not there:
                cursor.execute(f"CREATE DATABASE {database}")
        self.on(name)
        call_command("migrate", verbosity=0)
        if there and Rating.objects.count() == bots:
            return
        begun = time.monotonic()
        generate(bots=bots, matches=matches)
        self.say(f"{bots} bots, {matches} matches made in {time.monotonic() - begun:.0f} s")

    def times(self, *calls):
        """Median CPU seconds of each call, with the database's, in turn; a call is a database and
        what to do there."""
        found = [[] for _ in calls]
        for database, call in calls:
            self.on(database)
            call()
        for _ in range(self.calls):
            for times, (database, call) in zip(found, calls, strict=True):
                if len({each for each, _ in calls}) > 1:
                    self.on(database)
                    call()  # connects, and makes the picture of the table
                begun = spent()
                call()
                times.append(spent() - begun)
        return [statistics.median(times) for times in found]

    def get(self, address):
        client = Client()

        def call():
            response = client.get(address)
            assert response.status_code in (200, 304), (address, response.status_code)
            return response

        return call

    def queries(self, database, address):
        self.on(database)
        call = self.get(address)
        with CaptureQueriesContext(connection) as queries:
            call()
        return len(queries)

    def first(self):
        settings.TABLE_FRESH_S = settings.TABLE_PAGE_S = 0.0
        self.say("first pages, small and big (ms CPU), at most 3 x:")
        for address in ADDRESSES:
            call = self.get(address)
            small, big = self.times(("small", call), ("big", call))
            counts = [self.queries(name, address) for name in self.names]
            note = "" if counts[0] == counts[1] else f"  QUERIES {counts}"
            note += "" if big <= 3 * small else "  OVER"
            self.say(f"  {1e3 * small:7.2f} {1e3 * big:7.2f} {big / small:5.2f}  {address}{note}")

    def deep(self):
        """Addresses of first pages, and of those that begin `DEPTH` rows below."""
        self.on("big")
        ladder = Ladder.objects.get(slug=SLUG)
        depth = min(DEPTH, self.sizes["big"][0] // 2)
        row = ladders.table(ladder)[depth]
        cut = quote(str(Cut(row.ordinal, row.pk)))
        yield TABLE, f"{TABLE}?cursor={cut}"
        yield f"/ladders/{SLUG}/", f"/ladders/{SLUG}/?at={cut}"
        bots, matches = self.sizes["big"]
        newest = {"matches": matches, "ledger": bots + 4 * matches, "bots": bots,
                  "submissions": bots, "players": bots}  # fmt: skip
        for name, last in newest.items():
            pages = Pages()
            pages.base_url = f"/api/v1/{name}/"
            link = pages.encode_cursor(pagination.Cursor(0, False, str(last - depth)))
            yield f"/api/v1/{name}/", link
        yield "/matches/", f"/matches/?before={matches - depth}"

    def depth(self):
        settings.TABLE_FRESH_S = settings.TABLE_PAGE_S = 0.0
        self.say(f"pages {DEPTH} rows deep against first ones (ms CPU), at most 1.3 x:")
        for first, deep in list(self.deep()):
            top, below = self.times(("big", self.get(first)), ("big", self.get(deep)))
            note = "" if below <= 1.3 * top else "  OVER"
            self.say(f"  {1e3 * top:7.2f} {1e3 * below:7.2f} {below / top:5.2f}  {first}{note}")

    def rank(self):
        self.on("big")
        ladder = Ladder.objects.get(slug=SLUG)
        begun = time.process_time()
        pictures.picture(ladder)
        made = time.process_time() - begun
        pk = self.sizes["big"][0] // 3
        values = Rating.objects.filter(pk=pk).values_list("mu", "sigma", "ordinal")

        def rank():
            pictures.picture(ladder).place(*values.get())

        read, ranked = self.times(("big", lambda: values.get()), ("big", rank))
        self.say(
            f"a rating by its key {1e6 * read:.0f} us, its rank and range too {1e6 * ranked:.0f} "
            f"us: {ranked / read:.2f} x (at most 3); the picture of the table takes "
            f"{1e3 * made:.0f} ms CPU, at most once in {self.sizes['big'][0] / 10_000:.0f} s"
        )

    def served(self):
        """CPU of a call, with the database's, from the request to the bytes of the answer."""
        settings.TABLE_FRESH_S, settings.TABLE_PAGE_S = 0.2, 5.0
        self.on("big")
        etag = self.get(f"{TABLE}?limit=100")()["ETag"]
        client = Client()
        cases = {
            "a constant view": lambda: client.get("/ping/"),
            "the table, remembered": lambda: client.get(f"{TABLE}?limit=100"),
            "304": lambda: client.get(f"{TABLE}?limit=100", headers={"If-None-Match": etag}),
            "the table, made": self.made(client),
            "a plain list view": lambda: client.get("/peer/?limit=100"),
        }
        used = {name: [] for name in cases}
        for _ in range(self.calls):
            for name, call in cases.items():
                used[name].append(self.cpu(call))
        middle = {name: statistics.median(values) for name, values in used.items()}
        self.say("CPU of a call with the database's (us), 100 rows:")
        for name, value in middle.items():
            self.say(f"  {1e6 * value:7.0f}  {name}")
        ping = middle["a constant view"]
        made = middle["a plain list view"] / middle["the table, made"]
        remembered = ping / middle["the table, remembered"]
        self.say(
            f"made: {made:.1f} x cheaper than the plain view (at least 5); "
            f"remembered: {remembered:.2f} x a constant view (at least 0.85); "
            f"304: {middle['304'] / ping:.2f} x (at most 2)"
        )

    def made(self, client):
        from api import ladder_table

        def call():
            ladder_table._memory._kept.clear()
            return client.get(f"{TABLE}?limit=100")

        return call

    def cpu(self, call, times=40):
        call()
        begun = spent()
        for _ in range(times):
            call()
        return (spent() - begun) / times

    def explain(self):
        self.on("big")
        ladder = Ladder.objects.get(slug=SLUG)
        row = ladders.table(ladder)[self.sizes["big"][0] // 2]
        for cut in (None, Cut(row.ordinal, row.pk), Cut(row.ordinal, row.pk, up=True)):
            with CaptureQueriesContext(connection) as queries:
                table_pages.page(ladder, cut=cut)
            self.plan(f"the table, {cut or 'from its top'}", queries)
        for address in (
            "/api/v1/matches/?bot=3", "/api/v1/matches/?bot=500", "/api/v1/matches/?kind=bracket",
            f"/api/v1/ledger/?ladder={SLUG}", "/api/v1/ledger/?bot=3",
        ):  # fmt: skip
            with CaptureQueriesContext(connection) as queries:
                self.get(address)()
            self.plan(address, queries)

    def plan(self, what, queries):
        self.say(f"plans of {what}")
        for query in queries.captured_queries:
            if '"tournaments_' in query["sql"] or "tournaments_rating" in query["sql"]:
                with connection.cursor() as cursor:
                    cursor.execute(f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {query['sql']}")
                    for (line,) in cursor.fetchall():
                        self.say(f"    {line}")
                self.say("")


def spent():
    """CPU seconds so far of this process and of its session of the database."""
    link = connection.connection
    if link is None:
        return time.process_time()
    with open(f"/proc/{link.info.backend_pid}/schedstat") as file:
        return time.process_time() + int(file.read().split()[0]) / 1e9
