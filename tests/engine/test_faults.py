"""What bots wrote is shown without effect on terminals and logs."""

import pytest

from engine.faults import REASONS, escape


def test_the_reasons() -> None:
    assert REASONS == ("time", "wall", "illegal", "form", "flood", "killed", "exit", "start")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"plain text, <b>&amp;", "plain text, <b>&amp;"),
        ("Größe 龍 ✓".encode(), "Größe 龍 ✓"),
        (b"\x1b[2J\x07", r"\x1b[2J\x07"),
        (b"one\r\ntwo\tthree\x00", r"one\r\ntwo\tthree\x00"),
        (b"\xff\xc3", r"\xff\xc3"),
        ("\u202eevil\u200b\u0085".encode(), r"\u202eevil\u200b\x85"),
        ("\U000e0001".encode(), r"\U000e0001"),
        (b"", ""),
    ],
)
def test_escape(written: bytes, shown: str) -> None:
    assert escape(written) == shown


def test_lines_stay_where_they_are_wanted() -> None:
    assert escape(b"one\n\ttwo\r\x1b", lines=True) == "one\n\ttwo\\r\\x1b"
