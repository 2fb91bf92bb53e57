"""Logs of many seats in one file: each is read alone, and a damaged file says what is wrong."""

import pytest

from engine import log_file
from engine.record import LOG_FILE, SeatLog

PLAYS = [
    [SeatLog(seat, notes=[(play, f"gold {seat}")], stderr=bytes([play, seat])) for seat in range(3)]
    for play in range(2)
]


def test_each_log_is_found_by_its_play_and_seat():
    data = log_file.dumps(PLAYS)
    for play, logs in enumerate(PLAYS):
        for seat, log in enumerate(logs):
            assert log_file.read(data, play, seat) == log


def test_the_file_is_as_its_description_says():
    logs = [log.to_bytes() for play in PLAYS for log in play]
    lengths = b"".join(len(log).to_bytes(4, "big") for log in logs)
    assert log_file.dumps(PLAYS) == b"SLYM\x01\x02\x03" + lengths + b"".join(logs)


def test_a_log_that_unpacks_to_too_much_keeps_nobody_from_another_ones():
    huge = SeatLog(0, stderr=bytes(LOG_FILE.largest + 1))
    data = log_file.dumps([[huge, SeatLog(1, stderr=b"fine")]])
    assert log_file.read(data, 0, 1).stderr == b"fine"
    with pytest.raises(ValueError, match="unpacks to more"):
        log_file.read(data, 0, 0)


def test_damaged_files_say_what_is_wrong():
    data = log_file.dumps(PLAYS)
    for damaged, complaint in {
        b"": "begins with b''",
        b"SLYR" + data[4:]: "not b'SLYM'",
        b"SLYM\x02" + data[5:]: "format version 2; this program reads version 1",
        data[:20]: "cut off inside its table",
        data[:-1]: f"has {len(data) - 1} bytes; by its table of lengths {len(data)}",
        data + b"x": f"has {len(data) + 1} bytes",
    }.items():
        with pytest.raises(ValueError, match=complaint):
            log_file.read(damaged, 0, 0)


@pytest.mark.parametrize("place", [(2, 0), (0, 3), (-1, 0), (0, -1)])
def test_what_is_not_there_is_not_read(place):
    with pytest.raises(ValueError, match="2 plays of 3 seats"):
        log_file.read(log_file.dumps(PLAYS), *place)


@pytest.mark.parametrize("logs", [PLAYS[0][::-1], PLAYS[0][1:]])
def test_logs_in_another_order_are_not_written(logs):
    with pytest.raises(ValueError, match="the same seats, in order"):
        log_file.dumps([PLAYS[0], logs])
