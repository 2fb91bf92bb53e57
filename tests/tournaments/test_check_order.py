import pytest

from bots.models import Submission
from tests.builders import make_bot, make_player, make_submission
from tournaments import entrants

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def test_who_uploads_many_delays_only_himself(settings, monkeypatch):
    monkeypatch.setattr(entrants, "AT_ONCE", 3)
    _, busy = make_player()
    flood = [make_submission(make_bot(busy), qualified=False) for _ in range(5)]
    single = make_submission(qualified=False)
    entrants.start_checks()
    checking = set(Submission.objects.filter(state="checking"))
    assert checking == {flood[0], single, flood[1]}
