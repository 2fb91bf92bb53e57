import zlib
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.clock import TimeControl
from engine.faults import REASONS
from engine.record import Failure, Record
from engine.replay import FILE, ReplayError, dumps, loads

digests = st.binary(min_size=32, max_size=32).map(bytes.hex)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
options = st.dictionaries(texts, st.none() | st.booleans() | st.integers(-99, 99) | texts)
times = st.builds(
    TimeControl, st.integers(1, 3_600_000), st.integers(0, 3_600_000), st.integers(1, 3_600_000)
)


@st.composite
def records(draw):
    players = draw(st.integers(1, 64))
    by_seat = lambda values: st.lists(values, min_size=players, max_size=players)  # noqa: E731
    seats = st.integers(0, players - 1)
    actions = draw(st.lists(st.tuples(seats, st.integers(0, 2**53 - 1)), max_size=30))
    return Record(
        game=draw(texts),
        edition=draw(texts),
        players=players,
        options=draw(options),
        seed=draw(digests),
        packages=draw(st.just([]) | by_seat(digests)),
        rotation=draw(st.integers(0, 255)),
        time=draw(st.none() | times),
        isolation=draw(texts),
        cpu_measured=draw(st.booleans()),
        actions=actions,
        cpu_ms=[draw(st.none() | st.integers(0, 10_000_000)) for _ in actions],
        failures=[
            Failure(seat, draw(st.integers(0, 100_000)), draw(st.sampled_from(REASONS)), "why")
            for seat in sorted(draw(st.sets(seats, max_size=3)))
        ],
        scores=draw(by_seat(st.integers(-(2**53) + 1, 2**53 - 1))),
        places=draw(by_seat(st.integers(1, players))),
    )


RECORD = Record(
    game="sealed-bids",
    edition="1",
    players=2,
    options={"open": False},
    seed="0a" * 32,
    packages=["ab" * 32, "cd" * 32],
    rotation=1,
    time=TimeControl(5000, 100, 5000),
    isolation="bubblewrap",
    cpu_measured=True,
    actions=[(0, 3), (1, 300)],
    cpu_ms=[7, None],
    failures=[Failure(1, 1, "illegal", "no")],
    scores=[12, -3],
    places=[1, 2],
)
# Written by hand from the layout that the module documents.
PAYLOAD = (
    b"\x0bsealed-bids\x011\x02"
    b'\x0e{"open":false}\x01'
    b"\x0abubblewrap\x01"
    b"\x01\x88\x27\x64\x88\x27"  # 5000 = 39 x 128 + 8
    b"\x01\x01\x01\x07illegal\x02no"
    b"\x18\x05\x01\x02"  # scores 12 and -3, places 1 and 2
    b"\x01" + b"\x0a" * 32 + b"\xab" * 32 + b"\xcd" * 32 + b"\x02"
    b"\x00\x01"
    b"\x03\xac\x02"  # 300 = 2 x 128 + 44
    b"\x08\x00"
)


def file(payload, head=b"SLYR\x01\x01\x00"):
    return head + zlib.compress(payload)


def test_the_file_is_laid_out_as_documented():
    assert FILE.unpack(dumps(RECORD)) == PAYLOAD
    assert dumps(RECORD)[:7] == b"SLYR\x01\x01\x00"
    assert loads(file(PAYLOAD)) == RECORD


@given(records())
@settings(max_examples=60, deadline=None)
def test_every_record_survives_its_file(record):
    assert loads(dumps(record)) == record


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "begins with b''"),
        (b"PK\x03\x04", "begins with b'PK"),
        (b"SLYR\x01", "ends after 5 bytes"),
        (b"SLYR\x02\x01\x00", "format version 2; this program reads version 1"),
        (b"SLYR\x01\x02\x00", "codec 2; known is 1"),
        (b"SLYR\x01\x01\x07", "dictionary 7; known is 0"),
        (b"SLYR\x01\x01\x00nonsense", "damaged"),
        (file(PAYLOAD)[:-1], "cut off"),
        (file(PAYLOAD) + b"more", "4 bytes follow"),
        (file(b""), "game, before byte 0 .*the data ends here"),
        (file(PAYLOAD[:-1]), "cpu_ms, before byte .*the data ends here"),
        (file(PAYLOAD + b"\x00"), "1 bytes follow after the last action"),
        (file(b"\x8b\x00" + PAYLOAD[1:]), "game.*longer than needed"),
        (file(b"\xff" * 20), "game.*more than 63 bits"),
        (file(b"\xff\xff\xff\xff\x0f" + PAYLOAD), "game.*the data ends here"),
        (file(b"\x02\xff\xfe" + PAYLOAD), "game.*not UTF-8"),
        (file(PAYLOAD.replace(b"\x011\x02", b"\x011\x41")), "players.*65 is more than 64"),
        (file(PAYLOAD.replace(b'"open"', b'"open')), "options.*not JSON"),
        (file(PAYLOAD.replace(b"false}", b"NaN  }")), "options.*NaN is not a JSON value"),
        (file(PAYLOAD.replace(b"bubblewrap\x01", b"bubblewrap\x02")), "cpu_measured.*2 is more"),
        (file(PAYLOAD.replace(b"illegal", b"boredom")), r"record.failures\[0\].reason"),
        (file(PAYLOAD.replace(b"\x18\x05\x01\x02", b"\x18\x05\x01\x03")), r"record.places\[1\]"),
    ],
)
def test_a_wrong_file_is_refused_with_what_and_where(data, complaint):
    with pytest.raises(ReplayError, match="not a readable replay: .*" + complaint):
        loads(data)


@given(st.integers(0, 10_000), st.integers(1, 255))
@settings(max_examples=200, deadline=None)
def test_no_damaged_byte_goes_unnoticed(position, change):
    data = bytearray(dumps(RECORD))
    data[position % len(data)] ^= change
    with suppress(ReplayError):
        assert loads(bytes(data)) == RECORD  # a bit that means nothing to zlib


@given(st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_payload_is_read_or_refused(payload):
    for data in (file(payload), file(PAYLOAD[:40] + payload)):
        with pytest.raises(ReplayError):
            loads(data)


def test_a_bomb_is_not_unpacked():
    bomb = zlib.compressobj()
    data = b"SLYR\x01\x01\x00"
    for _ in range(20):
        data += bomb.compress(bytes(1_000_000))
    data += bomb.flush()
    assert len(data) < 100_000
    with pytest.raises(ReplayError, match="unpacks to more than 4194304 bytes"):
        loads(data)


def test_a_file_that_is_too_large_is_not_even_tried():
    with pytest.raises(ReplayError, match="at most 4194304 are read"):
        loads(bytes(5_000_000))


def test_a_count_does_not_make_work_that_the_data_does_not_pay_for():
    start = PAYLOAD[: PAYLOAD.index(b"\xcd" * 32) + 32]
    varint = b"\xff\xff\x7f"  # 21 bits
    with pytest.raises(ReplayError, match=r"number of actions.*2097151 is more than 100000"):
        loads(file(start + varint))


def test_a_record_that_breaks_its_form_is_not_written():
    with pytest.raises(ValueError, match=r"record\.places"):
        dumps(replace(RECORD, places=[0, 1]))
