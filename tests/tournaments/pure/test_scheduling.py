"""The choice of ladder tables: rules one by one, and whole days of service simulated."""

import random
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.scheduling import Candidate, choose_tables, waiting_bound_s


def bot(id, *, owner=None, mu=25.0, matches=100, waiting_s=0.0, house=False, language="python"):
    owners = frozenset(["house"] if house else [owner or f"player-{id}"])
    return Candidate(id, owners, mu, 2.0, matches, waiting_s, house, language)


def choose(candidates, *, sizes=(4,), tables=1, bound_s=1000.0, seed="a seed", **more):
    return choose_tables(candidates, sizes=sizes, tables=tables, bound_s=bound_s, seed=seed, **more)


# -- the bound


def test_waiting_bound_is_three_mean_waits_and_at_least_ten_minutes():
    # 60 bots, 480 seats an hour: each sits once in 450 s.
    assert waiting_bound_s(60, 480) == 1350
    assert waiting_bound_s(60, 48_000) == 600
    assert waiting_bound_s(0, 0) == 600


def test_waiting_bound_stays_finite_when_nothing_was_played():
    assert waiting_bound_s(2, 0) == 21_600


# -- who gets the table


def test_the_late_go_first_and_the_longest_wait_before_them():
    ladder = [bot(i, matches=0) for i in range(20)]
    ladder += [bot(100 + i, matches=500, waiting_s=900 + i) for i in range(6)]
    tables = choose(ladder, tables=2)
    assert set(tables[0]) <= {100, 101, 102, 103, 104, 105}
    assert 105 in tables[0]
    assert {100, 101, 102, 103, 104, 105} <= set(tables[0]) | set(tables[1])


def test_the_newest_version_gets_half_of_the_tables():
    ladder = [bot(i) for i in range(40)] + [bot(99, matches=3)]
    first = Counter(99 in choose(ladder, seed=str(i))[0] for i in range(400))
    # Half the tables are made for it, and the others' stay among the established.
    assert 160 <= first[True] <= 240


def test_among_new_versions_the_one_with_fewest_matches_goes_first():
    ladder = [bot(i, matches=5) for i in range(10)] + [bot(99, matches=1)]
    assert all(99 in choose(ladder, seed=str(i))[0] for i in range(50))


def test_seats_are_in_random_order():
    ladder = [bot(i, matches=5) for i in range(10)] + [bot(99, matches=1)]
    seats = Counter(choose(ladder, seed=str(i))[0].index(99) for i in range(400))
    assert all(70 <= seats[seat] <= 130 for seat in range(4))


# -- who joins


def test_half_of_the_opponents_are_near_in_mu():
    ladder = [bot(i, mu=float(i), matches=20 + i) for i in range(100)]
    far = []
    for seed in range(200):
        for table in choose(ladder, sizes=(2,), seed=str(seed)):
            far.append(abs(table[0] - table[1]))
    # The nearest tenth lies within 10; of the uniform half about a fifth does as well.
    assert 0.45 <= sum(gap <= 10 for gap in far) / len(far) <= 0.72


def test_nobody_meets_the_same_opponent_again_while_others_are_left():
    ladder = [bot(i, matches=50) for i in range(8)]
    met = {(min(0, i), max(0, i)): 1 for i in (1, 2, 3, 4)}
    late = [replace(ladder[0], waiting_s=999), *ladder[1:]]
    for seed in range(30):
        assert set(choose(late, sizes=(4,), seed=str(seed), met=met)[0]) <= {0, 5, 6, 7}


def test_pairs_come_up_evenly():
    ladder = [bot(i) for i in range(9)]
    met = Counter()
    for table in choose(ladder, sizes=(3,), tables=120):
        met.update(combinations(sorted(table), 2))
    # 360 meetings over 36 pairs.
    assert len(met) == 36
    assert min(met.values()) >= 8
    assert max(met.values()) <= 12


def test_all_table_sizes_come_up_equally_often():
    sizes = Counter(map(len, choose([bot(i) for i in range(30)], sizes=(3, 4, 5, 6), tables=40)))
    assert sizes == {3: 10, 4: 10, 5: 10, 6: 10}


def test_a_size_that_fell_behind_comes_first():
    played = {3: 10, 4: 10, 5: 9, 6: 10}
    (table,) = choose([bot(i) for i in range(30)], sizes=(3, 4, 5, 6), sizes_played=played)
    assert len(table) == 5


def test_a_table_fits_one_worker():
    ladder = [bot(i, language="java" if i % 2 else "javascript") for i in range(20)]
    workers = [frozenset(["java", "python"]), frozenset(["javascript", "python"])]
    tables = choose(ladder, tables=20, worker_languages=workers)
    assert len(tables) == 20
    assert all(len({i % 2 for i in table}) == 1 for table in tables)
    assert choose([bot(i, language="native") for i in range(9)], worker_languages=workers) == []


# -- owners and the house


def test_bots_of_one_player_or_with_a_common_member_never_meet():
    def team(id, *owners):
        return replace(bot(id), owners=frozenset(owners))

    ladder = [
        team(1, "player:ann", "user:ann"),
        team(2, "player:ann", "user:ann"),
        team(3, "player:duo", "user:ann", "user:bob"),
        team(4, "player:bob", "user:bob"),
        team(5, "player:cyd", "user:cyd"),
        team(6, "player:dan", "user:dan"),
    ]
    owners = {c.id: c.owners for c in ladder}
    tables = choose(ladder, sizes=(3, 4), tables=60)
    assert len(tables) == 60
    for table in tables:
        assert all(owners[a].isdisjoint(owners[b]) for a, b in combinations(table, 2))
    assert {len(table) for table in tables} == {3, 4}


def test_a_table_that_owners_forbid_is_made_smaller_or_not_at_all():
    ladder = [bot(i, owner="ann") for i in range(5)] + [bot(9, owner="bob")]
    assert choose(ladder, sizes=(3, 4)) == []
    assert len(choose(ladder, sizes=(2, 3))[0]) == 2


def test_the_house_stays_away_where_others_are_enough():
    ladder = [bot(i) for i in range(6)] + [bot(90 + i, house=True, matches=0) for i in range(3)]
    tables = choose(ladder, sizes=(3, 4, 5, 6), tables=40)
    assert all(i < 90 for table in tables for i in table)


def test_the_house_fills_all_seats_but_one_for_a_lonely_bot():
    ladder = [bot(1, matches=0)] + [bot(90 + i, house=True) for i in range(5)]
    tables = choose(ladder, sizes=(3, 4, 5, 6), tables=40)
    assert len(tables) == 40
    assert all(1 in table for table in tables)
    assert {len(table) for table in tables} == {3, 4, 5, 6}


def test_the_house_plays_alone_only_on_an_otherwise_empty_ladder():
    house = [bot(90 + i, house=True, matches=0) for i in range(3)]
    assert set(choose(house, sizes=(3,))[0]) == {90, 91, 92}
    others = [bot(i) for i in range(4)]
    assert all(set(table) == {0, 1, 2, 3} for table in choose(others + house, tables=10))


def test_nothing_to_choose_from():
    assert choose([], tables=3) == []
    assert choose([bot(1), bot(2)], sizes=(3, 4), tables=3) == []
    with pytest.raises(ValueError, match="2 or more"):
        choose([bot(1)], sizes=(1, 2))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 9),
            st.integers(0, 40),
            st.floats(0, 900, allow_nan=False),
            st.booleans(),
        ),
        max_size=14,
    ),
    st.randoms(use_true_random=False),
)
def test_rules_hold_on_any_ladder_and_the_order_of_the_input_does_not_matter(rows, shuffler):
    ladder = [
        bot(i, owner=f"p{owner}", matches=matches, waiting_s=waiting_s, house=house)
        for i, (owner, matches, waiting_s, house) in enumerate(rows)
    ]
    tables = choose(ladder, sizes=(3, 4), tables=5)
    shuffled = list(ladder)
    shuffler.shuffle(shuffled)
    assert choose(shuffled, sizes=(3, 4), tables=5) == tables
    by_id = {c.id: c for c in ladder}
    for table in tables:
        seated = [by_id[i] for i in table]
        assert len(set(table)) == len(table) in (3, 4)
        owners = [c.owners for c in seated if not c.house]
        assert len(set(owners)) == len(owners)
        assert bool(owners) == any(not c.house for c in ladder)
        free = {c.owners for c in ladder if not c.house} - set(owners)
        assert not (free and any(c.house for c in seated)), "the house took a seat of others"


# -- a service, simulated


@dataclass
class Service:
    """Workers that play matches from a shallow queue, and a scheduler that fills it."""

    bots: list[Candidate]
    workers: int = 2
    sizes: tuple[int, ...] = (4,)
    clock_s: float = 0.0
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    queue: deque = field(default_factory=deque)
    running: list = field(default_factory=list)
    idle_since: dict[int, float] = field(default_factory=dict)
    matches: Counter = field(default_factory=Counter)
    busy: Counter = field(default_factory=Counter)
    met: Counter = field(default_factory=Counter)
    seats: deque = field(default_factory=deque)
    played: list = field(default_factory=list)
    longest_wait_s: float = 0.0
    bounds_s: list = field(default_factory=list)

    def enter(self, candidate):
        self.bots.append(candidate)
        self.idle_since[candidate.id] = self.clock_s
        self.matches[candidate.id] = candidate.matches

    def run(self, until_s, *, warm_up_s=0.0):
        for candidate in list(self.bots):
            if candidate.id not in self.idle_since:
                self.bots.remove(candidate)
                self.enter(candidate)
        while self.clock_s < until_s:
            self.finish()
            self.schedule()
            while self.queue and len(self.running) < self.workers:
                self.start(self.queue.popleft(), warm_up_s)
            self.clock_s += 5.0

    def schedule(self):
        while self.seats and self.seats[0] < self.clock_s - 3600:
            self.seats.popleft()
        hours = min(max(self.clock_s, 600.0), 3600.0) / 3600
        bound_s = waiting_bound_s(len(self.bots), len(self.seats) / hours)
        self.bounds_s.append(bound_s)
        missing = 2 * self.workers - len(self.queue)
        if missing <= 0:
            return
        now = [
            Candidate(
                id=c.id,
                owners=c.owners,
                mu=c.mu,
                sigma=c.sigma,
                matches=self.matches[c.id],
                waiting_s=0.0 if self.busy[c.id] else self.clock_s - self.idle_since[c.id],
            )
            for c in self.bots
        ]
        for table in choose_tables(
            now,
            sizes=self.sizes,
            tables=missing,
            bound_s=bound_s,
            seed=str(self.clock_s),
            met=self.met,
        ):
            self.queue.append(table)
            self.busy.update(table)
            self.matches.update(table)

    def start(self, table, warm_up_s):
        if self.clock_s >= warm_up_s:
            waits = [self.clock_s - self.idle_since[i] for i in table if i in self.idle_since]
            self.longest_wait_s = max([self.longest_wait_s, *waits])
        for i in table:
            self.idle_since.pop(i, None)
            self.seats.append(self.clock_s)
        self.played.append(table)
        self.met.update(combinations(sorted(table), 2))
        # Two matches of each bot's are remembered.
        if len(self.played) * len(table) > 2 * len(self.bots):
            old = self.played[-(2 * len(self.bots) // len(table)) - 1]
            self.met.subtract(combinations(sorted(old), 2))
        self.running.append((self.clock_s + self.rng.uniform(30, 90), table))

    def finish(self):
        over = [table for end_s, table in self.running if end_s <= self.clock_s]
        self.running = [run for run in self.running if run[0] > self.clock_s]
        for table in over:
            self.busy.subtract(table)
            for i in table:
                self.idle_since[i] = self.clock_s

    def longest_present_wait_s(self):
        return max(self.clock_s - since for since in self.idle_since.values())


def test_nobody_waits_beyond_the_bound_in_a_day_of_sixty_bots():
    rng = random.Random(1)
    service = Service(
        [bot(i, mu=rng.gauss(25, 6), matches=rng.randrange(0, 300)) for i in range(60)]
    )
    service.run(24 * 3600)
    assert max(service.bounds_s[400:]) < 1600
    assert service.longest_wait_s <= min(service.bounds_s[400:])
    assert service.longest_present_wait_s() <= min(service.bounds_s[400:])
    count = Counter(i for table in service.played for i in table)
    assert min(count.values()) >= 0.6 * max(count.values())


def test_the_top_meet_each_other_and_everybody_meets_many():
    service = Service([bot(i, mu=40.0 - i / 2) for i in range(60)])
    service.run(24 * 3600)
    met = Counter()
    for table in service.played:
        met.update(combinations(sorted(table), 2))
    top = [met[pair] for pair in combinations(range(8), 2)]
    by_chance = sum(met.values()) / (60 * 59 / 2)
    assert sum(top) / len(top) >= 1.5 * by_chance
    assert min(top) >= 1
    opponents = {i: sum(1 for pair in met if i in pair) for i in range(60)}
    assert min(opponents.values()) >= 50


def test_a_flood_of_newcomers_leaves_the_established_their_share():
    service = Service([bot(i, matches=200) for i in range(30)], workers=4)
    service.run(2 * 3600)
    before = Counter(i for table in service.played for i in table)
    for i in range(300):
        service.enter(bot(1000 + i, matches=0))
    start = len(service.played)
    service.longest_wait_s = 0.0
    service.run(4 * 3600)
    after = Counter(i for table in service.played[start:] for i in table)
    established = sum(after[i] for i in range(30)) / sum(before[i] for i in range(30))
    # Without a share of their own they would have a tenth of their games.
    assert established >= 0.4
    assert min(after[i] for i in range(30)) >= 0.2 * min(before.values())
    assert sum(1 for i in after if i >= 1000) == 300, "and every newcomer has played"
    assert service.longest_wait_s <= max(service.bounds_s)
