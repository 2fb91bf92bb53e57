"""Replays and logs in one file: each is read alone, and a damaged file says what is wrong."""

import pytest

from engine import match_file
from engine.record import LOG_FILE, SeatLog

REPLAYS = [b"first", b"the second"]
LOGS = [
    [SeatLog(seat, notes=[(play, f"gold {seat}")], stderr=bytes([play, seat])) for seat in range(3)]
    for play in range(2)
]


def test_each_part_is_found_by_its_play_and_seat():
    data = match_file.dumps(REPLAYS, LOGS)
    for play, logs in enumerate(LOGS):
        assert match_file.read_replay(data, play) == REPLAYS[play]
        for seat, log in enumerate(logs):
            assert match_file.read_log(data, play, seat) == log


def test_the_file_is_as_its_description_says():
    parts = [REPLAYS[0], *(log.to_bytes() for log in LOGS[0])]
    parts += [REPLAYS[1], *(log.to_bytes() for log in LOGS[1])]
    lengths = b"".join(len(part).to_bytes(4, "big") for part in parts)
    assert match_file.dumps(REPLAYS, LOGS) == b"SLYM\x01\x02\x03" + lengths + b"".join(parts)


def test_a_log_that_unpacks_to_too_much_keeps_nobody_from_the_rest():
    huge = SeatLog(0, stderr=bytes(LOG_FILE.largest + 1))
    data = match_file.dumps([b"replay"], [[huge, SeatLog(1, stderr=b"fine")]])
    assert match_file.read_replay(data, 0) == b"replay"
    assert match_file.read_log(data, 0, 1).stderr == b"fine"
    with pytest.raises(ValueError, match="unpacks to more"):
        match_file.read_log(data, 0, 0)


def test_damaged_files_say_what_is_wrong():
    data = match_file.dumps(REPLAYS, LOGS)
    for damaged, complaint in {
        b"": "begins with b''",
        b"SLYR" + data[4:]: "not b'SLYM'",
        b"SLYM\x02" + data[5:]: "format version 2; this program reads version 1",
        data[:20]: "cut off inside its table",
        data[:-1]: f"has {len(data) - 1} bytes; by its table of lengths {len(data)}",
        data + b"x": f"has {len(data) + 1} bytes",
    }.items():
        with pytest.raises(ValueError, match=complaint):
            match_file.read_log(damaged, 0, 0)
        with pytest.raises(ValueError, match=complaint):
            match_file.read_replay(damaged, 0)


@pytest.mark.parametrize("place", [(2, 0), (0, 3), (-1, 0), (0, -1)])
def test_what_is_not_there_is_not_read(place):
    data = match_file.dumps(REPLAYS, LOGS)
    with pytest.raises(ValueError, match="2 plays of 3 seats"):
        match_file.read_log(data, *place)
    if place[0]:
        with pytest.raises(ValueError, match="no play"):
            match_file.read_replay(data, place[0])


@pytest.mark.parametrize("logs", [LOGS[0][::-1], LOGS[0][1:]])
def test_logs_in_another_order_are_not_written(logs):
    with pytest.raises(ValueError, match="the same seats, in order"):
        match_file.dumps(REPLAYS, [LOGS[0], logs])
