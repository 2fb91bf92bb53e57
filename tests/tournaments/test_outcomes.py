import pytest

from engine import games
from tests.tournaments.rows import claimed, entrant, ids, report
from tournaments import brackets, dispatch, ladders, lifecycle, outcomes, scheduler
from tournaments.models import Ladder, Match, Stage

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def test_a_bracket_goes_on_as_soon_as_a_match_of_it_is_over(ladder, worker):
    bracket = brackets.create_bracket(
        slug="cup",
        title="Cup",
        game="deca-slayer",
        format=Stage.Format.ROUND_ROBIN,
        rules={"table_size": 3},
        organiser=None,
    )
    for _ in range(3):
        brackets.enter(bracket=bracket, bot=entrant().bot, user=None)
    lifecycle.start(bracket=bracket, user=None)
    lifecycle.advance()
    while match := Match.objects.filter(kind="bracket", state="queued").first():
        claim = claimed(match)
        assert dispatch.finish(**ids(claim), result=report(claim)).verdict == "accepted"
        match.refresh_from_db()
        outcomes.match_over(match)
        outcomes.match_over(match)  # a repeated message
    bracket.refresh_from_db()
    assert bracket.state == "finished"


def test_a_new_installation_gets_its_ladders_from_the_scheduler():
    scheduler.schedule()
    slugs = sorted(f"{game.name}-{game.edition}" for game in games.all())
    assert sorted(Ladder.objects.values_list("slug", flat=True)) == slugs
    Ladder.objects.update(open=False)  # closed by somebody: not opened again
    scheduler.schedule()
    assert Ladder.objects.count() == len(slugs)
    assert ladders.open_of("deca-slayer") is None
