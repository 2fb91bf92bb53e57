import json
from dataclasses import replace
from hashlib import sha256

import pytest

from engine.clock import TimeControl
from engine.record import Failure, Record, SeatLog, play_hash

RECORD = Record(
    game="sealed-bids",
    edition="1",
    players=2,
    options={"open": False, "cards": [1, "two", None]},
    seed="0a" * 32,
    packages=["ab" * 32, "cd" * 32],
    rotation=1,
    time=TimeControl(5000, 100, 5000),
    isolation="bubblewrap",
    cpu_measured=True,
    actions=[(0, 3), (1, 148)],
    cpu_ms=[7, None],
    failures=[Failure(1, 1, "illegal", "the action 'x' is not legal here")],
    scores=[12, -3],
    places=[1, 2],
)


def test_a_record_survives_json():
    text = json.dumps(RECORD.to_dict())
    assert Record.from_dict(json.loads(text)) == RECORD


def test_a_record_of_code_in_one_process_has_neither_packages_nor_a_clock():
    local = replace(RECORD, packages=[], time=None)
    assert Record.from_dict(json.loads(json.dumps(local.to_dict()))) == local


def test_the_play_hash_is_that_of_the_documented_json():
    text = (
        '{"actions":[[0,3],[1,148]],"edition":"1","failures":[[1,1,"illegal"]],'
        '"game":"sealed-bids","options":{"cards":[1,"two",null],"open":false},"places":[1,2],'
        '"players":2,"scores":[12,-3],"seed":"' + "0a" * 32 + '"}'
    )
    assert play_hash(RECORD) == sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        {"cpu_ms": [900, None]},
        {"cpu_measured": False},
        {"failures": [Failure(1, 1, "illegal", "worded otherwise")]},
        {"packages": ["ef" * 32, "cd" * 32]},
        {"rotation": 0},
        {"time": None},
        {"isolation": "plain"},
    ],
)
def test_the_same_deal_and_choices_give_the_same_play_hash(change):
    assert play_hash(replace(RECORD, **change)) == play_hash(RECORD)


@pytest.mark.parametrize(
    "change",
    [
        {"game": "open-bids"},
        {"edition": "2"},
        {"options": {"open": True, "cards": [1, "two", None]}},
        {"seed": "0b" * 32},
        {"actions": [(0, 3), (1, 147)]},
        {"actions": [(1, 3), (1, 148)]},
        {"failures": []},
        {"failures": [Failure(1, 0, "illegal", "the action 'x' is not legal here")]},
        {"scores": [12, -2]},
        {"places": [2, 1]},
    ],
)
def test_another_deal_choice_or_end_gives_another_play_hash(change):
    assert play_hash(replace(RECORD, **change)) != play_hash(RECORD)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"players": "2"}, "record.players must be a whole number"),
        ({"players": 0}, "record.players"),
        ({"players": 10**9}, "record.players .* from 1 to 64"),
        ({"game": ""}, "record.game must be a text of 1 to 50"),
        ({"game": "\ud800"}, "record.game holds half of a surrogate pair"),
        ({"edition": 1}, "record.edition"),
        ({"options": []}, "record.options must be an object"),
        ({"options": {"x": float("inf")}}, r"record.options.x must be a JSON value"),
        ({"seed": "0A" * 32}, "64 lower-case hex digits"),
        ({"seed": None}, "seed"),
        ({"packages": ["ab" * 32]}, "record.packages has 1 entries for 2 seats"),
        ({"packages": ["ab" * 32, "xy" * 32]}, r"record.packages\[1\] must be a SHA-256"),
        ({"rotation": -1}, "record.rotation"),
        ({"time": {"start_ms": 1}}, "time lacks"),
        ({"isolation": 0}, "record.isolation"),
        ({"cpu_measured": 1}, "record.cpu_measured must be true or false"),
        ({"actions": "01"}, "record.actions must be a list"),
        ({"actions": [[0, 3], [1]]}, r"record.actions\[1\] must be a list \[seat, index\]"),
        ({"actions": [[0, 3], [2, 148]]}, r"record.actions\[1\].seat .* from 0 to 1"),
        ({"actions": [[0, 3], [1, -1]]}, r"record.actions\[1\].index"),
        ({"actions": [[0, 3], [1, 1.0]]}, r"record.actions\[1\].index"),
        ({"cpu_ms": [1]}, "record.cpu_ms has 1 entries; there must be 2"),
        ({"cpu_ms": [1, -1]}, r"record.cpu_ms\[1\]"),
        ({"failures": [{"seat": 0}]}, r"record.failures\[0\] lacks"),
        (
            {"failures": [{"seat": 2, "decision": 0, "reason": "time", "message": "m"}]},
            r"record.failures\[0\].seat",
        ),
        (
            {"failures": [{"seat": 0, "decision": 0, "reason": "bored", "message": "m"}]},
            r"record.failures\[0\].reason must be one of time, wall.* 'bored'",
        ),
        (
            {"failures": [{"seat": 0, "decision": 0, "reason": "time", "message": "m"}] * 2},
            "names a seat twice",
        ),
        ({"scores": [1]}, "record.scores has 1 entries; there must be 2"),
        ({"scores": [1, 2**60]}, r"record.scores\[1\]"),
        ({"places": [1, 3]}, r"record.places\[1\] .* from 1 to 2"),
        ({"winner": 0}, "unknown fields: 'winner'"),
    ],
)
def test_a_wrong_record_is_refused_by_field(change, complaint):
    with pytest.raises(ValueError, match=complaint):
        Record.from_dict({**RECORD.to_dict(), **change})


def test_a_missing_field_and_no_object_are_refused():
    data = RECORD.to_dict()
    del data["scores"]
    with pytest.raises(ValueError, match="record lacks scores"):
        Record.from_dict(data)
    with pytest.raises(ValueError, match="record must be an object"):
        Record.from_dict([data])


LOG = SeatLog(
    seat=3,
    notes=[(4, "gold 🐉")],
    asked=[(None, 41.25, 60.0), (4, 0.125, 0.5)],
    sent=b'{"type":"decide"}',
    received=bytes(range(200)),
    stderr=b"Traceback\n\xff\x00\x1b[31m",
    stderr_cut=True,
    exit_code=None,
    signal=9,
    cpu_ms=55.5,
    peak_memory_bytes=20_000_000,
)


def test_a_log_survives_its_file_byte_by_byte():
    assert SeatLog.from_bytes(LOG.to_bytes()) == LOG
    assert SeatLog.from_bytes(SeatLog(0).to_bytes()) == SeatLog(0)


def test_a_damaged_log_is_refused():
    data = LOG.to_bytes()
    with pytest.raises(ValueError, match="not a readable log of a seat: it is cut off"):
        SeatLog.from_bytes(data[:-3])
    with pytest.raises(ValueError, match="not a readable log of a seat: it begins with b'GIF8'"):
        SeatLog.from_bytes(b"GIF89a")


def test_what_the_last_request_might_use():
    # 100 ms a move; of a bank of 200, what went beyond 100 before is gone, whatever the last took
    time = TimeControl(start_ms=3000, move_ms=100, bank_ms=200)
    for asked, limit_ms in (
        ([], None),
        ([(None, 2999.0, 1.0)], 3000),
        ([(None, 2999.0, 1.0), (0, 250.0, 1.0)], 300),
        ([(None, 2999.0, 1.0), (0, 250.0, 1.0), (2, 90.0, 1.0), (5, 1.0, 1.0)], 150),
        ([(None, 2999.0, 1.0), (0, 300.0, 1.0), (2, 100.0, 1.0)], 100),
    ):
        assert SeatLog(0, asked=asked).last_limit_ms(time) == limit_ms
