"""Which of the two is to blame, the worker or the bot; and when that cannot be told."""

from tournaments.blame import Blame, Failure, judge_bots, judge_workers


def failures(*rows):
    return [Failure(worker, frozenset(bots.split())) for worker, bots in rows]


def told(judgements):
    return {each.name: each.blame for each in judgements}


def test_a_worker_that_fails_many_bots_is_to_blame():
    found = failures(("w1", "a b"), ("w1", "c d"), ("w1", "a e"))
    [worker] = judge_workers(found)
    assert (worker.name, worker.failures, worker.others) == ("w1", 3, 5)
    assert worker.blame is Blame.THIS
    assert "no bot was in all 3" in worker.because


def test_a_bot_that_fails_on_many_workers_is_to_blame():
    found = failures(("w1", "bad b"), ("w2", "bad c"), ("w3", "bad d"))
    assert told(judge_bots(found))["bad"] is Blame.THIS
    [bot] = [each for each in judge_bots(found) if each.name == "bad"]
    assert bot.because == "on 3 workers, and no other bot was in all 3 failures"
    assert set(told(judge_workers(found)).values()) == {Blame.TOO_FEW}


def test_a_worker_is_not_blamed_for_the_bot_that_fails_everywhere():
    found = failures(("w1", "bad b"), ("w1", "bad c"), ("w1", "bad d"), ("w2", "bad e"))
    assert told(judge_workers(found))["w1"] is Blame.OTHER
    assert "bad was in all of them, and fails on 1 other worker too" in next(
        each.because for each in judge_workers(found) if each.name == "w1"
    )
    assert told(judge_bots(found))["bad"] is Blame.THIS


def test_a_bot_is_not_blamed_for_the_worker_that_fails_everybody():
    found = failures(("w1", "a b"), ("w1", "a c"), ("w1", "a d"), ("w1", "e f"))
    assert told(judge_bots(found))["a"] is Blame.OTHER
    assert told(judge_workers(found))["w1"] is Blame.THIS


def test_one_bot_on_one_worker_cannot_be_told():
    found = failures(("w1", "a b"), ("w1", "a c"), ("w1", "a d"))
    assert told(judge_workers(found)) == {"w1": Blame.UNKNOWN}
    assert told(judge_bots(found))["a"] is Blame.UNKNOWN


def test_two_bots_that_always_met_cannot_be_told_apart():
    found = failures(("w1", "a b"), ("w2", "a b"), ("w3", "a b"))
    assert told(judge_bots(found)) == {"a": Blame.UNKNOWN, "b": Blame.UNKNOWN}


def test_few_failures_say_nothing():
    found = failures(("w1", "a b"), ("w2", "a c"))
    assert set(told(judge_bots(found)).values()) == {Blame.TOO_FEW}
    assert judge_workers([]) == judge_bots([]) == []


def test_most_failures_come_first():
    found = failures(("w1", "a"), ("w2", "b"), ("w2", "c"))
    assert [each.name for each in judge_workers(found)] == ["w2", "w1"]


def test_a_bot_that_is_in_most_matches_is_not_blamed_for_being_there():
    found = failures(("w1", "house a"), ("w1", "house b"), ("w1", "house c"), ("w2", "house d"))
    assert told(judge_workers(found))["w1"] is Blame.OTHER
    played = {"house": 400, "a": 3}
    assert told(judge_workers(found, played))["w1"] is Blame.THIS
    [house] = [each for each in judge_bots(found, played) if each.name == "house"]
    assert (house.blame, house.failures, house.others) == (Blame.OTHER, 4, 2)
    assert house.because == "it finished 400 others in the same time"
