import pytest
from celery import current_app

from tournaments import ladders, workers
from tournaments.dispatch import messages


@pytest.fixture(autouse=True)
def files(tmp_path, settings):
    """Private storage of one test's own."""
    folder = tmp_path / "files"
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(folder)},
        },
    }
    return folder


@pytest.fixture
def broker(redis_url):
    """An empty broker of one test's own; `broker()` is how many messages about matches wait."""
    url = redis_url.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host=")
    before = current_app.conf.broker_url
    _send_to(url)
    yield messages.waiting
    _send_to(before)


def _send_to(url):
    current_app.conf.broker_url = url
    current_app.amqp._producer_pool = None  # made for the broker before


@pytest.fixture(autouse=True)
def _own_broker(request):
    if request.node.get_closest_marker("db"):
        request.getfixturevalue("broker")


@pytest.fixture
def ladder(db):
    return ladders.open_ladder("deca-slayer")


@pytest.fixture
def worker(db):
    return make_worker("one@here")


def make_worker(name, **changes):
    described = {
        "version": "test",
        "python": "3.11.0",
        "languages": ["python"],
        "slots": 2,
        "tier": "bubblewrap",
    }
    return workers.register(name, workers.Description(**{**described, **changes}))
