"""Chance streams against values computed here from SHA-256 itself, and the rules' example."""

import hashlib

import pytest

from engine.chance import Chance, check_seed, commitment

SEED = "00" * 31 + "2a"


def word(label: str, index: int) -> int:
    """The stream's word by its definition: 8 bytes of a hash of seed, label, zero, block."""
    block = hashlib.sha256(
        bytes.fromhex(SEED) + label.encode("utf-8") + bytes([0]) + (index // 4).to_bytes(4, "big")
    ).digest()
    at = index % 4 * 8
    return int.from_bytes(block[at : at + 8], "big")


def test_first_words_of_the_published_deal():
    """The three words that the rules of Deca Slayer print for this seed."""
    assert [word("heroes", i) for i in range(3)] == [
        0xA5123E81F3B951F2,
        0x6C78A3E07DAE0812,
        0x06FA879BFFE36B15,
    ]
    # below(label, 2^64) is the word itself.
    chance = Chance(SEED)
    assert [chance.below("heroes", 2**64) for _ in range(3)] == [
        word("heroes", i) for i in range(3)
    ]


def test_words_go_on_over_blocks():
    chance = Chance(SEED)
    assert [chance.below("x", 2**64) for _ in range(11)] == [word("x", i) for i in range(11)]
    assert chance.used == {"x": 11}


def test_below_scales_the_word():
    # 0xa512… is 0.6448 of 2^64, so the first number below 10 is 6; 0x6c78… is 0.4237, so 4.
    chance = Chance(SEED)
    assert chance.below("heroes", 10) == 6
    assert chance.below("heroes", 10) == 4


def test_below_one_takes_a_word_all_the_same():
    chance = Chance(SEED)
    assert chance.below("heroes", 1) == 0
    assert chance.used == {"heroes": 1}


def test_below_zero_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        Chance(SEED).below("heroes", 0)


def test_roll_is_a_die():
    # 6 times 0.6448 is 3.87, 6 times 0.4237 is 2.54, 6 times 0.0273 is 0.16; plus one.
    chance = Chance(SEED)
    assert [chance.roll("heroes") for _ in range(3)] == [4, 3, 1]


def test_shuffle_swaps_from_the_end():
    # Four cards: i = 3 takes below 4 = 2, i = 2 below 3 = 1, i = 1 below 2 = 0, as
    # 4 · 0.6448 = 2.58, 3 · 0.4237 = 1.27, 2 · 0.0273 = 0.05.
    cards = ["a", "b", "c", "d"]
    chance = Chance(SEED)
    chance.shuffle("heroes", cards)
    # swap 3 and 2: a b d c; swap 2 and 1: a d b c; swap 1 and 0: d a b c
    assert cards == ["d", "a", "b", "c"]
    assert chance.used == {"heroes": 3}


@pytest.mark.parametrize("cards", [[], ["a"]])
def test_shuffle_of_nothing_to_shuffle_uses_no_word(cards):
    chance = Chance(SEED)
    chance.shuffle("heroes", cards)
    assert chance.used == {}


def test_streams_do_not_shift_each_other():
    alone, mixed = Chance(SEED), Chance(SEED)
    mixed.shuffle("monsters", list(range(15)))
    assert [alone.below("heroes", 1000) for _ in range(9)] == [
        mixed.below("heroes", 1000) for _ in range(9)
    ]


def test_used_words_are_the_place_to_go_on_from():
    whole = Chance(SEED)
    numbers = [whole.below("heroes", 1000) for _ in range(10)]
    rest = Chance(SEED, {"heroes": 6})
    assert [rest.below("heroes", 1000) for _ in range(4)] == numbers[6:]


def test_clone_is_independent():
    chance = Chance(SEED)
    chance.below("heroes", 10)
    copy = chance.clone()
    assert copy.below("heroes", 2**64) == word("heroes", 1)
    assert chance.used == {"heroes": 1}
    assert copy.used == {"heroes": 2}


def test_label_is_written_in_utf8():
    assert Chance(SEED).below("é", 2**64) == word("é", 0)


@pytest.mark.parametrize(
    "seed",
    [
        "00" * 31,
        "00" * 33,
        "00" * 31 + "2A",
        "00" * 31 + "2g",
        " " + "00" * 31 + "2",
        "00" * 32 + "\n",
        "",
        None,
        42,
        b"00" * 32,
    ],
)
def test_seed_must_be_64_lower_case_hex_digits(seed):
    with pytest.raises(ValueError, match="64 lower-case hex digits"):
        check_seed(seed)


def test_commitment_is_the_hash_of_the_raw_bytes():
    # SHA-256 of 32 zero bytes, a published test value.
    assert (
        commitment("00" * 32) == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    )
