"""Tournament report files: FIDE's columns, other programs' records, and round trips."""

import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.interchange.trf import (
    Abnormal,
    Acceleration,
    Bye,
    Forbidden,
    Game,
    Player,
    Report,
    TrfError,
    decode,
    read,
    write,
)

# Columns counted by hand: 5-8, 10, 11-13, 15-47, 49-52, 54-56, 58-68, 70-79, 81-84, 86-89, 92 …
PLAYERS = (
    "001    1 m GM Carlsen, Magnus                   2840 NOR     1503014 1990/11/30  1.5    1"
    "     2 w 1  0000 - H\n"
    "001    2 wWGM Polgar, Judit                     2675 HUN      700070 1976/07/23  0.0    2"
    "     1 b 0            \n"
)
FILE = f"""012 Two at a board
042 2026/11/30
132                                                                                        26/11/30  26/12/01
XXR 5
XXC rank black1
{PLAYERS}"""  # noqa: E501 (columns)


def test_the_columns_of_the_standard():
    report = read(FILE)
    one, two = report.players
    assert one == Player(
        number=1, name="Carlsen, Magnus", sex="m", title="GM", rating=2840, federation="NOR",
        fide_number="1503014", birth="1990/11/30", points=Decimal("1.5"), rank=1,
        games=(Game(2, "w", "1"), Game(0, "-", "H")),
    )  # fmt: skip
    assert two.title == "WGM"
    # a blank round is a zero-point bye, whether it is written or not
    assert two.games == (Game(1, "b", "0"),)
    assert (report.name, report.start) == ("Two at a board", "2026/11/30")
    assert report.dates == ("26/11/30", "26/12/01")
    assert (report.rounds, report.first_colour, report.by_rank) == (5, "B", True)


def test_what_is_written_stands_in_those_columns():
    lines = write(read(FILE)).split("\r\n")
    assert lines[-1] == ""
    one, two = (line for line in lines if line.startswith("001"))
    first, second = PLAYERS.splitlines()
    assert one == first
    assert two == second.rstrip()
    assert "142 5" in lines
    assert "152 B" in lines


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\n"])
def test_every_end_of_line_is_read(end):
    assert read(FILE.replace("\n", end)) == read(FILE)


def test_the_records_of_2026():
    report = read(
        FILE
        + "162  W 3.0    D 1.0    L 0.0    A-1.0    P 3.0    X 1.0\n"
        + "172 NOR NIDOF\n182 Slayer League\n192 FIDE_DUTCH_2025\n202 BH/C1,SB\n212 PTS,BH/C1,SB\n"
        + "222 5400+30\n240 H 003    1    2\n250      02.0 001 003 0001 0002\n"
        + "260 001 002    1    2\n299 -        -1.5  002    1\n### a word\n"
    )
    assert report.points["A"] == -1
    assert report.points["W"] == 3
    assert report.ranking == ("NOR", "NIDOF")
    assert (report.program, report.type_code) == ("Slayer League", "FIDE_DUTCH_2025")
    assert (report.tie_breaks, report.standing_order) == (("BH/C1", "SB"), ("PTS", "BH/C1", "SB"))
    assert report.clock == "5400+30"
    assert report.byes == (Bye("H", 3, (1, 2)),)
    assert report.accelerations == (Acceleration(Decimal(2), 1, 3, 1, 2),)
    assert report.forbidden == (Forbidden(1, 2, (1, 2)),)
    assert report.abnormal == (Abnormal("-", Decimal("-1.5"), 2, (1,)),)
    assert report.comments == ("a word",)
    assert read(write(report)) == report


def test_the_records_of_javafo_and_bbp():
    javafo = read(FILE + "XXS WW=3 BW=3 WD=1 BD=1\nXXA    1  1.0  1.0  0.5\nXXP 1 2\nXXZ 2\n")
    assert javafo.points == {"W": 3, "D": 1}
    assert javafo.accelerations == (
        Acceleration(Decimal(1), 1, 2, 1, 1),
        Acceleration(Decimal("0.5"), 3, 3, 1, 1),
    )
    assert javafo.forbidden == (Forbidden(1, 5, (1, 2)),)
    assert javafo.byes == (Bye("Z", 3, (2,)),)  # absent in the round that comes next
    assert read(write(javafo, 16)) == javafo
    bbp = read(FILE + "BBW  3.0\nBBD  1.0\nBBL  0.0\nBBZ  0.0\nBBF  0.0\nBBU  3.0\nBBX kept\n")
    assert bbp.points == {"W": 3, "D": 1, "L": 0, "A": 0, "P": 3}
    assert bbp.others == ("BBX kept",)
    assert "BBX kept" in write(bbp)


@pytest.mark.parametrize(
    ("change", "line", "column", "said"),
    [
        (("001    1", "001    x"), 6, 5, "starting rank must be a number"),
        (("001    2", "001    1"), 7, 5, "stands twice"),
        (("2840", "28 0"), 6, 49, "the rating must be a number"),
        ((" 1.5", " 1,5"), 6, 81, "the total must be points"),
        (("   2 w 1", "   9 w 1"), 6, 92, "there is no player 9"),
        (("   2 w 1", "   2 x 1"), 6, 97, "the colour must be"),
        (("   2 w 1", "   2 w ?"), 6, 99, "the result must be one of"),
        (("   2 w 1", "     w 1"), 6, 92, "needs an opponent"),
        (("   1 b 0", "   1 w 0"), 6, 97, "both players have the colour w"),
        (("     1 b 0", "            "), 6, 92, "whose own record names nobody"),
        (("XXR 5", "XXR five"), 4, 5, "number of rounds must be"),
        (("XXC rank", "XXC rang"), 5, 5, "XXC has white1, black1 and rank"),
        (("XXR 5", "013 A team"), 4, 1, "team tournament"),
        (("XXR 5", "?!"), 4, 1, "begins with a record's three characters"),
    ],
)
def test_an_error_names_line_and_column(change, line, column, said):
    with pytest.raises(TrfError, match=said) as caught:
        read(FILE.replace(*change, 1))
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


def test_what_is_no_report_is_said_to_be_none():
    with pytest.raises(TrfError, match="no player"):
        read("012 Nobody\n")
    with pytest.raises(TrfError, match="no player 3"):
        read(FILE + "240 H 003    3\n")
    with pytest.raises(TrfError, match="not a text file"):
        decode(b"PK\0\0")
    assert decode("Jürgen".encode("latin-1")) == decode("Jürgen".encode()) == "Jürgen"


def test_what_does_not_fit_is_refused_with_the_way_out():
    many = tuple(Player(number, f"p{number}") for number in range(1, 10_001))
    with pytest.raises(TrfError, match="at most 9999 players, not 10000; export as JSON or CSV"):
        write(Report("Many", many))
    assert write(Report("Many", many[:9999])).count("\r\n001") == 9999
    with pytest.raises(TrfError, match="one decimal"):
        write(Report("A", (Player(1, "p", points=Decimal("0.25")),)))
    with pytest.raises(TrfError, match="at most 33 characters"):
        write(Report("A", (Player(1, "p" * 34),)))
    with pytest.raises(TrfError, match="do not print"):
        write(Report("A\n001 forged", (Player(1, "p"),)))
    for broken in (
        Report("A", (Player(1, "p"),), abnormal=(Abnormal("", Decimal(1), 0, (1,)),)),
        Report("A", (Player(1, "p"),), byes=(Bye("H", 1, (1,)),)),
        Report("A", (Player(1, "p"), Player(2, "q")), forbidden=(Forbidden(2, 3, (1, 2)),)),
    ):
        with pytest.raises(TrfError, match="write TRF26"):
            write(broken, 16)
        assert read(write(broken)) == broken


LETTERS = "aZ09 éß中'\"-.,;:=+()/#&"


def text(dice, most=12):
    return "".join(dice.choices(LETTERS, k=dice.randint(0, most))).strip()


def tenths(dice, least=0):
    return Decimal(dice.randint(least, 200)) / 10


def random_report(seed, version=26):
    """Any report, from its seed: building one by hypothesis takes a second."""
    dice = random.Random(seed)
    numbers = dice.sample(range(1, 10_000), dice.randint(1, 9))
    games = {number: [] for number in numbers}
    for _ in range(dice.randint(0, 4)):
        left = dice.sample(numbers, len(numbers))
        while left:
            one = left.pop()
            if left and dice.random() < 0.7:
                other = left.pop()
                white, black = dice.choice(["wb", "bw", "--"])
                a, b = dice.choice(["10", "01", "==", "+-", "-+", "--", "WL", "DD"])
                games[one].append(Game(other, white, a))
                games[other].append(Game(one, black, b))
            else:
                games[one].append(Game(0, "-", dice.choice("HFUZ")))
    players = tuple(
        Player(
            number, text(dice, 33), dice.choice(["", "m", "w"]), dice.choice(["", "GM", "WFM"]),
            dice.choice([None, 0, 987, 2840]), dice.choice(["", "NOR"]),
            dice.choice(["", "12345678901"]), dice.choice(["", "2001/02/03"]),
            dice.choice([None, tenths(dice)]), dice.choice([None, 1, 9999]),
            tuple(games[number]),
        )
        for number in numbers
    )  # fmt: skip
    facts = {
        "city": text(dice),
        "kind": text(dice),
        "rounds": dice.choice([None, 9]),
        "first_colour": dice.choice(["", "W", "B"]),
        "points": {letter: tenths(dice) for letter in dice.sample("WDLAP", dice.randint(0, 5))},
        "deputies": tuple(filter(None, (text(dice) for _ in range(2)))),
        "dates": dice.choice([(), ("26/11/30", "26/12/01")]),
        "comments": tuple(text(dice) for _ in range(dice.randint(0, 2))),
        "by_rank": dice.random() < 0.3,
    }
    if version == 26:
        some = tuple(dice.sample(numbers, dice.randint(1, len(numbers))))
        first = dice.randint(1, 9)
        facts |= {
            "ranking": dice.choice([None, ("NOR", "HBFN")]),
            "program": text(dice),
            "tie_breaks": dice.choice([(), ("BH",), ("BH/C1", "SB")]),
            "byes": (Bye(dice.choice("FHZ"), first, some),),
            "accelerations": (Acceleration(tenths(dice), first, first + 2, 1, 50),),
            "abnormal": (Abnormal(dice.choice(["", "W", "-"]), tenths(dice, -90), first, some),),
        }
        if len(some) > 1:
            facts["forbidden"] = (Forbidden(first, first + 3, some),)
    return Report(text(dice), players, **facts)


SEEDS = st.integers(0, 2**32)


@given(SEEDS)
def test_any_report_comes_back_as_it_was(seed):
    report = random_report(seed)
    assert read(write(report)) == report
    assert read(decode(write(report).encode())) == report


@given(SEEDS)
def test_what_trf16_can_say_comes_back_from_it(seed):
    report = random_report(seed, version=16)
    assert read(write(report, 16)) == report


@given(SEEDS, st.integers(0, 5000), st.sampled_from(["x", "", " ", "99999", "é", "\n"]))
def test_a_damaged_report_is_read_or_refused_by_line_and_column(seed, at, put):
    good = write(random_report(seed))
    at %= len(good)
    try:
        read(good[:at] + put + good[at + 1 :])
    except TrfError as error:
        where = (error.line, error.column)
    else:
        where = (1, 1)
    assert min(where) >= 1
