import pytest

from engine.clock import Clock, TimeControl


def test_the_ladder_defaults():
    assert TimeControl().to_dict() == {"start_ms": 5000, "move_ms": 100, "bank_ms": 5000}


def test_what_goes_beyond_the_move_time_is_taken_from_the_bank():
    clock = Clock(TimeControl(start_ms=1, move_ms=100, bank_ms=1000), players=2)
    assert clock.limit_ms(0) == 1100
    clock.charge(0, 60)
    assert clock.bank_ms(0) == 1000
    clock.charge(0, 350.5)
    assert clock.bank_ms(0) == 749.5
    assert clock.limit_ms(0) == 849.5
    # Each seat has a bank of its own, and it never goes below nothing.
    assert clock.limit_ms(1) == 1100
    clock.charge(0, 5000)
    assert clock.bank_ms(0) == 0
    assert clock.limit_ms(0) == 100


def test_worst_case_counts_a_third_of_a_core_and_a_second_for_each_request():
    time = TimeControl(start_ms=5000, move_ms=100, bank_ms=5000)
    # 4 players, 160 decisions: 3 x (4 x 10 s + 160 x 0.1 s) + 164 s
    assert time.worst_case_s(160, 4) == 332.0


def test_a_time_control_survives_its_dictionary():
    time = TimeControl(1, 2, 3)
    assert TimeControl.from_dict(time.to_dict()) == time


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({"start_ms": 0, "move_ms": 1, "bank_ms": 1}, "start_ms .* from 1 to 3600000.* 0"),
        ({"start_ms": 1, "move_ms": -1, "bank_ms": 1}, "move_ms .* from 0 to 3600000.* -1"),
        ({"start_ms": 1, "move_ms": True, "bank_ms": 1}, "move_ms"),
        ({"start_ms": 1, "move_ms": 1.5, "bank_ms": 1}, "move_ms"),
        ({"start_ms": 1, "move_ms": 1, "bank_ms": 10**9}, "bank_ms"),
        ({"start_ms": 1, "move_ms": 0, "bank_ms": 0}, "both 0"),
        ({"start_ms": 1, "move_ms": 1}, "lacks bank_ms"),
        ({"start_ms": 1, "move_ms": 1, "bank_ms": 1, "grace_ms": 1}, "unknown .*grace_ms"),
        ([1, 2, 3], "must be an object"),
    ],
)
def test_a_wrong_time_control_is_refused_by_name(data, complaint):
    with pytest.raises(ValueError, match=complaint):
        TimeControl.from_dict(data)
