"""What breaks, and how it is mended: the faults of a soak, drawn from a recorded seed."""

import heapq
import itertools
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack

from tests.faults import process_tree
from tests.faults.installation import BEATS, HOUSEKEEPING, STORES, Installation, disk_full
from tournaments.dispatch import messages
from tournaments.models import Match

Fault = Callable[[], bool]


class Breaker:
    """Breaks something every few seconds and mends it again; `counts` says what how often.

    A fault that finds nothing to break does not count and is drawn again.
    """

    def __init__(
        self,
        installation: Installation,
        seed: int,
        *,
        workers: tuple[str, ...],
        every_s: tuple[float, float],
        lease_s: float,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._at = installation
        self._random = random.Random(seed)
        self._workers = workers
        self._every_s = every_s
        self._lease_s = lease_s
        self._number = itertools.count()
        self._mending: list[tuple[float, int, Callable[[], object]]] = []
        self._next = time.monotonic() + 5
        self._frozen: set[str] = set()
        self._busy: set[str] = set()  # servers and disks that are broken now
        self._stack = ExitStack()
        self._faults: dict[str, tuple[int, Fault]] = {
            "worker killed, with its children": (4, self._kill_worker),
            "worker killed, its children left": (2, self._kill_parent),
            "pool process killed": (4, self._kill_child),
            "sandbox launcher killed": (4, self._kill_launcher),
            "worker told to stop": (3, self._stop_worker),
            "worker frozen past its lease": (2, self._freeze),
            "housekeeping killed": (2, self._kill_housekeeping),
            "beat killed": (2, self._kill_beat),
            "web killed": (1, self._kill_web),
            "broker: connections cut": (4, self._cut_broker),
            "broker: refuses": (2, self._refuse_broker),
            "broker killed, comes back empty": (2, self._empty_broker),
            "database: connections cut": (4, self._cut_database),
            "database: refuses": (2, self._refuse_database),
            "database crashes": (2, self._crash_database),
            "answer to a commit of a result lost": (6, self._lose_answer),
            "message sent three times more": (4, self._repeat),
            "disk full at the replay store": (2, self._fill_disk),
        }

    def step(self, *, breaking: bool) -> None:
        """Mend what is due, and break something if it is time."""
        now = time.monotonic()
        while self._mending and self._mending[0][0] <= now:
            heapq.heappop(self._mending)[2]()
        if breaking and now >= self._next:
            self._next = now + self._random.uniform(*self._every_s)
            names = list(self._faults)
            weights = [weight for weight, _ in self._faults.values()]
            for _ in range(20):
                [name] = self._random.choices(names, weights)
                if self._faults[name][1]():
                    self.counts[name] += 1
                    break

    def mend_all(self) -> None:
        """Mend everything now."""
        while self._mending:
            heapq.heappop(self._mending)[2]()

    def _later(self, least_s: float, most_s: float, mend: Callable[[], object]) -> None:
        at = time.monotonic() + self._random.uniform(least_s, most_s)
        heapq.heappush(self._mending, (at, next(self._number), mend))

    def _start_later(self, name: str) -> None:
        def start() -> None:
            if not self._at.runs(name):
                self._at.start(name)

        self._later(0.3, 2.0, start)

    def _some_worker(self) -> str | None:
        able = [name for name in self._workers if self._at.runs(name) and name not in self._frozen]
        return self._random.choice(able) if able else None

    def _kill_worker(self) -> bool:
        if (name := self._some_worker()) is None:
            return False
        self._at.kill(name)
        self._start_later(name)
        return True

    def _kill_parent(self) -> bool:
        if (name := self._some_worker()) is None:
            return False
        process_tree.send(signal.SIGKILL, self._at.pid(name))
        self._start_later(name)
        return True

    def _kill_child(self) -> bool:
        name = self._some_worker()
        found = process_tree.children_of(self._at.pid(name)) if name else []
        process_tree.send(signal.SIGKILL, *found)
        return bool(found)

    def _kill_launcher(self) -> bool:
        name = self._some_worker()
        found = process_tree.launchers_of(self._at.pid(name)) if name else []
        process_tree.send(signal.SIGKILL, *found)
        return bool(found)

    def _stop_worker(self) -> bool:
        if (name := self._some_worker()) is None:
            return False
        process_tree.send(signal.SIGTERM, self._at.pid(name))

        def start() -> None:
            if self._at.runs(name):  # it takes its time
                self._later(0.5, 1.0, start)
            else:
                self._at.start(name)

        self._later(0.5, 2.0, start)
        return True

    def _freeze(self) -> bool:
        if self._frozen or (name := self._some_worker()) is None:
            return False
        frozen = process_tree.freeze(self._at.pid(name))
        self._frozen.add(name)

        def thaw() -> None:
            process_tree.thaw(frozen)
            self._frozen.discard(name)

        self._later(1.3 * self._lease_s, 1.8 * self._lease_s, thaw)
        return True

    def _kill_housekeeping(self) -> bool:
        return self._kill_one(HOUSEKEEPING)

    def _kill_beat(self) -> bool:
        return self._kill_one(self._random.choice(BEATS))

    def _kill_web(self) -> bool:
        return self._kill_one("web")

    def _kill_one(self, name: str) -> bool:
        if not self._at.runs(name):
            return False
        self._at.kill(name)
        self._start_later(name)
        return True

    def _cut_broker(self) -> bool:
        return "broker" not in self._busy and self._at.broker.cut() > 0

    def _refuse_broker(self) -> bool:
        return self._out_of_order("broker", self._at.broker.refuse, self._at.broker.open, 1, 4)

    def _empty_broker(self) -> bool:
        return self._out_of_order("broker", self._at.valkey.kill, self._at.start_valkey, 0.2, 3)

    def _cut_database(self) -> bool:
        return "database" not in self._busy and self._at.database.cut() > 0

    def _refuse_database(self) -> bool:
        return self._out_of_order(
            "database", self._at.database.refuse, self._at.database.open, 1, 6
        )

    def _crash_database(self) -> bool:
        return self._out_of_order(
            "database", self._at.postgres.crash, self._at.start_postgres, 0.2, 3
        )

    def _out_of_order(
        self,
        what: str,
        fail: Callable[[], object],
        mend: Callable[[], object],
        least_s: float,
        most_s: float,
    ) -> bool:
        if what in self._busy:
            return False
        self._busy.add(what)
        fail()

        def work() -> None:
            mend()
            self._busy.discard(what)

        self._later(least_s, most_s, work)
        return True

    def _lose_answer(self) -> bool:
        if "database" in self._busy:
            return False
        before = self._at.database.lost_answers
        self._at.database.lose_answer_after(STORES)
        until = time.monotonic() + 3
        while time.monotonic() < until and self._at.database.lost_answers == before:
            time.sleep(0.05)
        return self._at.database.lost_answers > before

    def _repeat(self) -> bool:
        if self._busy & {"broker", "database"}:
            return False
        match = Match.objects.filter(state__in=["queued", "running"]).order_by("?").first()
        if match is None:
            return False
        return all(messages.send(messages.PLAY, match.pk, match.attempt) for _ in range(3))

    def _fill_disk(self) -> bool:
        if "disk" in self._busy:
            return False
        full = ExitStack()
        full.enter_context(disk_full(self._at.files / "matches"))
        return self._out_of_order("disk", lambda: None, full.close, 1, 5)
