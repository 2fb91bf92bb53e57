"""The sequential test: known ratios, its errors over simulated tables, and the cap."""

import random

import pytest

from tournaments.sequential import EFFECT, decide, llr


def elo(difference):
    return 1 / (1 + 10 ** (-difference / 400))


def test_a_known_ratio():
    # Pairs of games worth 0, 1/4, 1/2, 3/4, 1 as counted by fishtest: 0 against 2.716 Elo.
    counts = [13, 37, 50, 25, 3]
    blocks = [i / 4 for i, count in enumerate(counts) for _ in range(count)]
    assert llr(blocks, elo(0), elo(2.716)) == pytest.approx(-0.5596, abs=1e-4)


def test_a_ratio_by_hand():
    # Mean 1/4, variance 3/16: 4 · 0.2 · 0.5 / (2 · 3/16).
    assert llr([1, 0, 0, 0], -0.1, 0.1) == pytest.approx(16 / 15)
    assert llr([0, 1, 0, 1], 0.4, 0.6) == 0


def table(rng, better_by, deals, entrants=2):
    """Scores of entrants, the first better by `better_by` in mean place points than each other."""
    scores = {entrant: [] for entrant in range(entrants)}
    for _ in range(deals):
        # A deal counts for both sides: two plays, each won by one of them.
        wins = sum(rng.random() < 0.5 + better_by / 2 for _ in range(2)) / 2
        scores[0].append(wins)
        scores[1].append(1 - wins)
    return scores


def test_the_worse_goes_on_in_one_of_twenty_tables_at_most():
    wrong = right = deals = 0
    for number in range(2000):
        rng = random.Random(number)
        scores = table(rng, EFFECT, 400)
        for n in range(20, 401):
            verdict = decide(
                {e: own[:n] for e, own in scores.items()},
                seeds={0: 2, 1: 1},
                go_on=1,
                least=20,
                cap=400,
            )
            if verdict.decided:
                break
        wrong += verdict.order[0] == 1
        right += verdict.order[0] == 0
        deals += n
    assert wrong / 2000 <= 0.06
    assert deals / 2000 < 100, "it takes far fewer deals than the cap"


def test_two_of_a_kind_are_decided_by_the_cap():
    scores = {7: [1.0, 0.0] * 10, 8: [0.0, 1.0] * 10}
    first = decide(scores, seeds={7: 2, 8: 1}, go_on=1, least=10, cap=40)
    assert (first.decided, first.llr) == (False, 0)
    assert first.reason == "A ratio of 0.00; it takes 2.94."
    last = decide(scores, seeds={7: 2, 8: 1}, go_on=1, least=10, cap=20)
    assert (last.decided, last.order) == (True, (8, 7))
    assert last.reason == "Not told apart in 20 deals: the better seed goes on."
    ahead = {7: [1.0, 0.0] * 9 + [0.5, 0.5], 8: [0.0, 1.0] * 9 + [0.5, 0.25]}
    verdict = decide(ahead, seeds={7: 2, 8: 1}, go_on=1, least=10, cap=20)
    assert (verdict.decided, verdict.order) == (True, (7, 8))
    assert "the higher mean goes on" in verdict.reason


def test_nothing_is_decided_before_the_least_number_of_deals():
    scores = {1: [1.0] * 9, 2: [0.0] * 9}
    verdict = decide(scores, seeds={1: 1, 2: 2}, go_on=1, least=10, cap=20)
    assert not verdict.decided
    assert verdict.reason.endswith("and 1 more deals.")
    scores = {1: [1.0] * 10, 2: [0.0] * 10}
    verdict = decide(scores, seeds={1: 1, 2: 2}, go_on=1, least=10, cap=20)
    assert (verdict.decided, verdict.order) == (True, (1, 2))
    assert verdict.reason == "Told apart after 10 deals."


def test_only_the_border_counts():
    # 1 and 2 are level, 3 and 4 are level, the border between them is clear.
    above, below = [1.0, 2 / 3] * 15, [0.0, 1 / 3] * 15
    scores = {1: above, 2: above[::-1], 3: below, 4: below[::-1]}
    seeds = {1: 4, 2: 3, 3: 2, 4: 1}
    two = decide(scores, seeds=seeds, go_on=2, least=20, cap=60)
    assert two.decided
    assert set(two.order[:2]) == {1, 2}
    one = decide(scores, seeds=seeds, go_on=1, least=20, cap=60)
    assert not one.decided


def test_names_and_the_order_of_rows_do_not_matter():
    rng = random.Random(3)
    scores = {e: [rng.choice((0.0, 0.5, 1.0)) for _ in range(25)] for e in range(4)}
    seeds = {e: e + 1 for e in range(4)}
    verdict = decide(scores, seeds=seeds, go_on=2, least=20, cap=25)
    rows = list(scores.items())
    rng.shuffle(rows)
    assert decide(dict(rows), seeds=seeds, go_on=2, least=20, cap=25) == verdict
    renamed = decide(
        {100 - e: own for e, own in rows},
        seeds={100 - e: seed for e, seed in seeds.items()},
        go_on=2,
        least=20,
        cap=25,
    )
    assert renamed.order == tuple(100 - e for e in verdict.order)


def test_who_is_alone_goes_on():
    verdict = decide({5: []}, seeds={5: 3}, go_on=1, least=5, cap=10)
    assert (verdict.decided, verdict.order, verdict.llr) == (True, (5,), None)
    verdict = decide({5: [], 6: []}, seeds={5: 3, 6: 2}, go_on=1, least=5, cap=10)
    assert (verdict.decided, verdict.order) == (False, (6, 5))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": {1: [1.0], 2: []}}, r"scores of \[0, 1\] deals"),
        ({"go_on": 0}, "one goes on at least, not 0"),
        ({"least": 0}, "from 0 deals on, 10 at most"),
        ({"least": 11}, "from 11 deals on, 10 at most"),
        ({"alpha": 0.5}, "errors of 0.5 and 0.05"),
        ({"seeds": {1: 1}}, r"no seeds for \[2\]"),
    ],
)
def test_bad_input_is_refused(change, message):
    options = {
        "scores": {1: [1.0], 2: [0.0]},
        "seeds": {1: 1, 2: 2},
        "go_on": 1,
        "least": 5,
        "cap": 10,
    } | change
    with pytest.raises(ValueError, match=message):
        decide(options.pop("scores"), **options)
