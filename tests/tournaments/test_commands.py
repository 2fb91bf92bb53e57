import io

import pytest
from django.core.management import CommandError, call_command

from tests.tournaments.rows import entrant, rated
from tournaments.models import Ladder, Rating, Worker

pytestmark = [pytest.mark.django_db, pytest.mark.db]


def run(*arguments):
    output = io.StringIO()
    call_command(*arguments, stdout=output)
    return output.getvalue()


def test_open_ladders_opens_one_for_every_game_once():
    assert "deca-slayer-1: 0 bots" in run("open_ladders")
    run("open_ladders")
    assert Ladder.objects.filter(game="deca-slayer").count() == 1


def test_check_ledger_agrees_or_fails(ladder):
    rated(ladder, [entrant() for _ in range(3)], [1, 2, 3])
    assert run("check_ledger") == "deca-slayer-1: agrees\n"
    assert run("check_ledger", "deca-slayer-1") == "deca-slayer-1: agrees\n"
    Rating.objects.update(mu=30)
    with pytest.raises(CommandError, match="1 of 1 ladders differ"):
        run("check_ledger")
    with pytest.raises(CommandError, match="no ladder 'chess-1'; there is: deca-slayer-1"):
        run("check_ledger", "chess-1")


def test_rerate_makes_a_generation_and_shows_it(ladder):
    bots = [entrant() for _ in range(4)]
    rated(ladder, bots, [1, 2, 3, 4])
    said = run("rerate", "deca-slayer-1", "--without", str(bots[3].pk), "--reason", "cheated")
    assert "generation 2 with 3 ratings" in said
    ladder.refresh_from_db()
    assert ladder.generation == 1
    assert run("rerate", "deca-slayer-1", "--show", "2") == "deca-slayer-1 shows generation 2\n"
    ladder.refresh_from_db()
    assert ladder.generation == 2
    with pytest.raises(CommandError, match="no submission 999999"):
        run("rerate", "deca-slayer-1", "--without", "999999")
    with pytest.raises(CommandError, match="no generation 9"):
        run("rerate", "deca-slayer-1", "--show", "9")


def test_workers_are_listed_paused_and_resumed(worker):
    assert run("workers") == "one@here: plays 2 at once, python (bubblewrap, Python 3.11.0)\n"
    assert "paused (repairs)" in run("workers", "--pause", "one@here", "--reason", "repairs")
    assert "plays 2 at once" in run("workers", "--resume", "one@here")
    assert not Worker.objects.get().paused
    with pytest.raises(CommandError, match="no worker 'two'; there is: one@here"):
        run("workers", "--pause", "two")


def test_sweep_files():
    assert run("sweep_files") == "0 files removed\n"
