"""The protocol's page against the wire, the clock and the rules that really hold."""

import json
import re
import subprocess
import sys
from dataclasses import fields

import pytest

from engine import games, wire
from engine.clock import BACKSTOP_EXTRA_MS, BACKSTOP_FACTOR, Clock, TimeControl
from engine.contract import may_see
from engine.faults import REASONS
from engine.local import play_local
from engine.referee import KEPT_RECEIVED
from engine.sandbox import Limits, process
from tests.frontend.docs_reader import CHECKOUT, code, only, plain, tables, words_of

PAGE = "protocol.md"
TEXT = words_of(PAGE)
SEED = "03" * 32
TYPES = {"string": str, "number": int, "object": dict, "list": list}


def parsed(line: bytes) -> dict:
    return json.loads(line)


def start_message() -> dict:
    state = games.get("deca-slayer").new_initial_state(3, SEED)
    return parsed(wire.start(wire.seat_info(state, 0, wire.random_seed(SEED, 0, 0)), TimeControl()))


def requests_of_the_last_bot(seat: int) -> tuple[list[dict], dict]:
    """What the bot of the page reads in its play, and the end."""
    state = games.get("deca-slayer").new_initial_state(3, SEED)
    requests, sent = [], 0
    while deciders := state.current_players():
        decider = deciders[0]
        legal = state.legal_actions(decider)
        if decider == seat:
            news, sent = state.events[sent:], len(state.events)
            line = wire.decide(
                request_id="0" * 16,
                player=seat,
                observation=state.observation(seat),
                events=[event for event in news if may_see(event, seat)],
                legal_actions=legal,
                bank_ms=5000,
                previous_ms=0,
            )
            requests.append(parsed(line))
        state.apply_action(decider, legal[-1])
    return requests, parsed(wire.end(state.scores(), state.ranks()))


def check_fields(table, message: dict) -> None:
    assert [plain(cell) for cell in table.column(0)] == list(message)
    for name, kind, _ in table.rows:
        assert type(message[plain(name)]) is TYPES[kind.split()[0]], name
    assert table.rows[0][0] != "`type`" or plain(table.rows[0][2]) == f'"{message["type"]}"'


def check_start(table):
    check_fields(table, start_message())
    assert table.rows[1][2] == f"`{wire.PROTOCOL}`"


def check_decide(table):
    (request, *_), _ = requests_of_the_last_bot(0)
    check_fields(table, request)


def check_answer(table):
    assert [plain(cell) for cell in table.column(0)] == ["id", "action", "note"]
    longest = int(re.search(r"at most (\d+) characters", table.rows[2][2])[1])
    answer = {"id": "7", "action": "pass", "note": "ü" * longest}
    assert wire.parse_answer(json.dumps(answer).encode(), "7") == ("pass", "ü" * longest)
    for note, taken in ((None, True), ("ü" * (longest + 1), False), (7, False)):
        line = json.dumps(answer | {"note": note}).encode()
        if taken:
            assert wire.parse_answer(line, "7") == ("pass", None)
        else:
            with pytest.raises(wire.WireError):
                wire.parse_answer(line, "7")
    for needed in ("id", "action"):
        with pytest.raises(wire.WireError):
            wire.parse_answer(json.dumps({**answer, needed: None}).encode(), "7")


def check_end(table):
    check_fields(table, requests_of_the_last_bot(0)[1])


def check_time(table):
    usual = TimeControl().to_dict()
    assert [(plain(name), int(value)) for name, value, _ in table.rows] == list(usual.items())


def check_clock_example(table):
    time = TimeControl()
    clock = Clock(time, 1)
    *played, last = table.rows
    for number, (decision, before, limit, used, taken, after) in enumerate(played, 1):
        assert int(decision) == number
        assert (int(before), int(limit)) == (clock.bank_ms(0), clock.limit_ms(0))
        assert int(used) <= clock.limit_ms(0)
        clock.charge(0, int(used))
        assert int(after) == clock.bank_ms(0) == int(before) - int(taken)
    assert (int(last[1]), int(last[2])) == (clock.bank_ms(0), clock.limit_ms(0))
    assert int(last[3]) > clock.limit_ms(0)
    assert last[4] == "out of time"


def check_reasons(table):
    assert tuple(plain(cell) for cell in table.column(0)) == REASONS
    assert all(cell for row in table.rows for cell in row)
    mended = {row[0]: row[2] for row in table.rows}
    assert f"{Limits().memory_bytes >> 20} MiB" in mended["`killed`"]


CHECKS = {
    "start": check_start,
    "decide": check_decide,
    "The answer": check_answer,
    "end": check_end,
    "Time": check_time,
    "Time #2": check_clock_example,
    "When a bot fails": check_reasons,
}


@pytest.mark.parametrize("table", tables("protocol.md"), ids=str)
def test_table(table):
    CHECKS[table.name](table)


def test_numbers_in_the_text():
    limits = Limits()
    for text in (
        f"The protocol has the number {wire.PROTOCOL}.",
        f"whole numbers of more than {wire.LONGEST_INTEGER} digits",
        f"The first {limits.stderr_bytes >> 10} KiB are kept",
        f"A line has at most {limits.line_bytes:,} bytes",
        f"has {process._GOODBYE_CPU_NS / 1e9:g} s of CPU time to end by itself",
        f"{BACKSTOP_FACTOR} × the limit + {BACKSTOP_EXTRA_MS // 1000} s for each request",
        f"the first {KEPT_RECEIVED} bytes that came",
    ):
        assert text in TEXT


# ---------------------------------------------------------------- the example


def example() -> list[dict]:
    return [json.loads(block.text) for block in code(PAGE, "json")]


def same(shown: object, real: object, cut: bool) -> bool:
    """Whether it is the same, where "…" stands for anything if something may be cut."""
    if cut and shown == "…":
        return True
    if isinstance(shown, dict) and isinstance(real, dict):
        return list(shown) == list(real) and all(same(shown[k], real[k], cut) for k in real)
    return shown == real


def test_example_is_the_real_conversation():
    # given the play that the page describes
    requests, end = requests_of_the_last_bot(0)
    start, ready, first, first_answer, second, second_answer, last = example()

    # then its messages are those of the page, up to what is random or measured
    assert start == start_message()
    wire.parse_ready(json.dumps(ready).encode())
    for shown, answer, real, cut in (
        (first, first_answer, requests[0], False),
        (second, second_answer, requests[1], True),
    ):
        measured = {name: shown[name] for name in ("id", "previous_ms")}
        assert re.fullmatch("[0-9a-f]{16}", shown["id"])
        assert same(shown, real | measured, cut)
        action, note = wire.parse_answer(json.dumps(answer).encode(), shown["id"])
        assert action == real["legal_actions"][-1]
        assert note == f"the last of {len(real['legal_actions'])}"
    assert last == end
    assert f"{len(requests) - 2} requests are not shown" in TEXT


def test_fields_of_an_observation_are_those_of_another_play():
    # Not only of this one: nothing in the example's form is an accident of its deal.
    state = games.get("deca-slayer").new_initial_state(3, "5e" * 32)
    assert list(example()[2]["observation"]) == list(state.observation(0))
    assert list(example()[2]["observation"]["seats"][0]) == list(state.observation(0)["seats"][0])


def test_bot_of_the_example_plays_it(tmp_path):
    # given the bot of the page, as a program
    entry = tmp_path / "last.py"
    entry.write_text(only(PAGE, "python", "Example"))
    requests, end = requests_of_the_last_bot(0)
    lines = [start_message(), *requests, end]

    # when it is asked
    done = subprocess.run(
        [sys.executable, entry],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )

    # then it answers as shown
    ready, first, second, *_ = map(json.loads, done.stdout.splitlines())
    shown = example()
    assert ready == shown[1]
    assert first == shown[3] | {"id": "0" * 16}
    assert second == shown[5] | {"id": "0" * 16}


def test_scores_of_the_example_are_those_of_a_whole_play():
    record = play_local(
        games.get("deca-slayer"),
        players=3,
        seed=SEED,
        bots=[lambda observation, legal: legal[-1]] * 3,
    )
    assert (record.scores, record.places) == (example()[-1]["scores"], example()[-1]["ranks"])


def test_code_of_the_random_seed_prints_what_stands_below():
    block = only(PAGE, "python", "Random seed")
    done = subprocess.run(
        [sys.executable, "-c", block], capture_output=True, text=True, check=True, cwd=CHECKOUT
    )
    assert done.stdout == only(PAGE, "text", "Random seed")
    assert int(done.stdout) == wire.random_seed(SEED, 0, 0) == example()[0]["random_seed"]


def test_all_code_of_the_page_has_been_run():
    assert [block.heading for block in code("protocol.md", "python")] == ["Example", "Random seed"]
    assert {field.name for field in fields(TimeControl)} == set(example()[0]["time"])
