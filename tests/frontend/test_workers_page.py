"""The organiser's page of workers: what it tells, and what can be done from it."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from bots.models import Act
from tests.tournaments.rows import claimed, entrant, ids, ladder_match, report
from tournaments import dispatch, failures, ladders, workers
from tournaments.models import Play, Worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def ladder(redis_url):
    return ladders.open_ladder("deca-slayer")


def worker(name, tier="bubblewrap"):
    return workers.register(name, workers.Description("1.2", "3.11", ["python"], 1, tier))


def fail(match, machine):
    """A failed attempt at the match."""
    claim = claimed(match, machine)
    assert dispatch.fail(**ids(claim), reason="the machine ran out of memory")
    match.refresh_from_db()


def page(client, address="/workers/"):
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.fixture
def looker(person):
    """One who may look at the page and change nothing."""
    client, user = person(staff=True)[:2]
    type(user).objects.filter(pk=user.pk).update(is_superuser=False)
    return client, user


@pytest.fixture
def organiser(looker):
    looker[1].user_permissions.add(Permission.objects.get(codename="change_worker"))
    return looker


def test_it_is_for_organisers(person, looker, ladder):
    machine = worker("w1@a")
    act = f"/workers/{machine.pk}/pause/"
    for client, status in ((Client(), 302), (person()[0], 403), (looker[0], 403)):
        assert client.post(act, {"reason": "x"}).status_code == status
    assert person()[0].get("/workers/").status_code == 403
    assert not Worker.objects.get().paused
    text = page(looker[0])
    assert "w1@a" in text
    assert "formaction" not in text


def test_it_tells_what_each_worker_does(organiser, ladder):
    client, _ = organiser
    busy, idle, gone = worker("busy@a"), worker("idle@b"), worker("gone@c")
    Worker.objects.filter(pk=gone.pk).update(seen_at=dispatch.database_now() - timedelta(days=1))
    workers.seen(idle.pk, clock=dispatch.database_now().timestamp() - 42)
    bots = [entrant() for _ in range(3)]
    claim = claimed(ladder_match(ladder, bots), busy)
    dispatch.renew(**ids(claim), play=1, decision=33)
    ladder_match(ladder, bots)
    text = page(client)
    assert f"match {claim.match.pk}</a>, play 1, decision 33" in text
    assert "its clock is -42" in text
    assert '<span class="state gone">gone</span>' in text
    assert "1 attempt running" in text
    assert "None: no attempt failed or was lost." in text


def test_workers_that_are_long_gone_are_folded_away(organiser, ladder):
    old = worker("old@a")
    Worker.objects.filter(pk=old.pk).update(seen_at=dispatch.database_now() - timedelta(days=8))
    assert "old@a" not in page(organiser[0])
    assert "1 more were not seen" in page(organiser[0])
    assert "old@a" in page(organiser[0], "/workers/?all=1")


def test_it_says_who_is_to_blame(organiser, ladder):
    bad, good = worker("bad@a"), worker("good@b")
    for _ in range(3):
        fail(ladder_match(ladder, [entrant() for _ in range(3)]), bad)
    text = page(organiser[0])
    assert "3 attempts failed or were lost" in text
    assert '<b class="bad">this worker</b>' in text
    assert "no bot was in all 3 failures: it is the machine" in text
    assert "the machine ran out of memory" in text
    breaker = entrant()
    for machine in (good, worker("third@c"), worker("fourth@d")):
        fail(ladder_match(ladder, [breaker, *(entrant() for _ in range(2))]), machine)
    text = page(organiser[0])
    assert '<b class="bad">this bot</b>' in text
    assert f"<td>{breaker}</td>" in text


def test_workers_are_paused_drained_and_let_go_on(organiser, ladder):
    client, user = organiser
    machine = worker("w1@a")
    claim = claimed(ladder_match(ladder, [entrant() for _ in range(3)]), machine)

    def tell(verb, **data):
        return client.post(f"/workers/{machine.pk}/{verb}/", data, follow=True)

    assert "Say why w1@a should drain" in tell("drain").content.decode()
    assert not Act.objects.filter(verb="drain").exists()
    tell("drain", reason="new kernel")
    assert '<span class="state draining">draining</span>' in page(client)
    assert f"match {claim.match.pk}</a>" in page(client)
    waiting = ladder_match(ladder, [entrant() for _ in range(3)])
    assert dispatch.claim(match_id=waiting.pk, attempt=1, worker=machine) is None
    assert dispatch.hand_back(**ids(claim))
    assert '<span class="state drained">drained</span>' in page(client)
    assert "told so before" in tell("drain", reason="again").content.decode()
    tell("resume", reason="it was another machine")
    assert '<span class="state live">live</span>' in page(client)
    tell("pause", reason="noisy neighbour")
    assert "noisy neighbour" in page(client)
    assert [(a.verb, a.user, a.reason) for a in Act.objects.order_by("id")[:2]] == [
        ("drain", user, "new kernel"),
        ("resume", user, "it was another machine"),
    ]
    assert tell("explode", reason="x").status_code == 404
    assert client.get(f"/workers/{machine.pk}/pause/").status_code == 405


def test_draining_ends_with_a_restart_and_a_pause_does_not(ladder):
    machine = worker("w1@a")
    workers.drain(worker=machine, reason="x", user=None)
    workers.pause(worker=machine, reason="y", user=None)
    assert workers.seen(machine.pk)
    again = worker("w1@a")
    assert (again.draining, again.paused) == (False, True)


def test_queries_do_not_grow_with_workers_and_failures(
    organiser, ladder, django_assert_max_num_queries
):
    for number in range(4):
        machine = worker(f"w{number}@a")
        fail(ladder_match(ladder, [entrant() for _ in range(3)]), machine)
    with django_assert_max_num_queries(25):
        page(organiser[0])


def test_a_slow_worker_stands_out(organiser, ladder):
    """Both have a match of the same decisions; one of them needed three times the CPU."""
    for name, cpu_ms in (("fast@a", 10.0), ("slow@b", 30.0)):
        machine = worker(name)
        claim = claimed(ladder_match(ladder, [entrant() for _ in range(3)]), machine)
        assert dispatch.finish(**ids(claim), result=report(claim)).verdict == "accepted"
        Play.objects.filter(match=claim.match).update(cpu_ms=[cpu_ms] * 3, decisions=100)
    found = {Worker.objects.get(pk=pk).name: share for pk, share in failures.shares().items()}
    assert {name: share.matches for name, share in found.items()} == {"fast@a": 1, "slow@b": 1}
    # Together 100 decisions cost (30 + 90) / 2 ms a play: one is at half of that, one at 1.5.
    assert found["fast@a"].slowness == pytest.approx(0.5)
    assert found["slow@b"].slowness == pytest.approx(1.5)
    assert "1.50 ×" in page(organiser[0])
