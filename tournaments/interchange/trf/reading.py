"""Reading a report: fixed columns, lines that end by CR, LF or both, records of other programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tournaments.interchange.trf.model import (
    BYES,
    MOST_PLAYERS,
    RESULTS,
    Abnormal,
    Acceleration,
    Bye,
    Forbidden,
    Game,
    Player,
    Report,
    TrfError,
)

ENDS = re.compile("\r\n|\r|\n")
TEAMS = ("013", "310", "320", "330", "300", "352", "362", "801", "802")
LONGEST = 12 * 2**20
FOREVER = 999
"""The last round of a record without one: three columns."""

TEXTS = {
    "012": "name", "022": "city", "032": "federation", "042": "start", "052": "end",
    "092": "kind", "102": "arbiter", "122": "times", "182": "program", "192": "type_code",
    "222": "clock",
}  # fmt: skip
COUNTS = ("062", "072", "082")
"""How many players, rated players and teams: they follow from the rest."""
SCORES = {
    "W": "W", "WW": "W", "BW": "W", "FPB": "W", "FW": "W", "D": "D", "WD": "D", "BD": "D",
    "HPB": "D", "L": "L", "WL": "L", "BL": "L", "ZPB": "A", "FL": "A", "PAB": "P",
}  # fmt: skip
"""JaVaFo's codes of points (XXS) as letters of record 162."""
BBP = {"BBW": "W", "BBD": "D", "BBL": "L", "BBZ": "A", "BBF": "A", "BBU": "P"}


def decode(data: bytes) -> str:
    """A file's text: UTF-8, else Latin-1, as older programs write; TrfError when it is none."""
    if len(data) > LONGEST:
        raise TrfError(f"a report has at most {LONGEST >> 20} MiB, not {len(data) >> 20}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\0" in text:
        raise TrfError("this is not a text file: it holds NUL characters")
    return text


def read(text: str) -> Report:
    """The report; TrfError names line and column of the first thing that is wrong."""
    reader = _Reader()
    for number, line in enumerate(ENDS.split(text), start=1):
        if line.strip():
            reader.take(_Line(number, line.rstrip()))
    return reader.report()


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str

    @property
    def tag(self) -> str:
        return self.text[:3]

    def wrong(self, column: int, message: str) -> TrfError:
        return TrfError(message, self.number, column)

    def cell(self, first: int, last: int) -> str:
        """The columns first…last, counted from 1, without blanks around."""
        return self.text[first - 1 : last].strip()

    def whole(self, first: int, last: int, what: str, *, least: int, most: int) -> int | None:
        """A number in these columns; None when they are blank."""
        cell = self.cell(first, last)
        return None if not cell else self._number(first, cell, what, least, most)

    def needed(self, first: int, last: int, what: str, *, least: int, most: int) -> int:
        value = self.whole(first, last, what, least=least, most=most)
        if value is None:
            raise self.wrong(first, f"{what} is missing")
        return value

    def _number(self, column: int, cell: str, what: str, least: int, most: int) -> int:
        if not (cell.isascii() and cell.isdigit()) or not least <= int(cell) <= most:
            raise self.wrong(
                column, f"{what} must be a number from {least} to {most}, not {cell!r}"
            )
        return int(cell)

    def points(self, first: int, last: int, what: str) -> Decimal | None:
        cell = self.cell(first, last)
        return None if not cell else self.amount(first, cell, what)

    def amount(self, column: int, cell: str, what: str) -> Decimal:
        if not re.fullmatch(r"-?(\d{1,4}(\.\d)?|\.\d)", cell, re.ASCII):
            raise self.wrong(column, f"{what} must be points such as 1.5, not {cell!r}")
        return Decimal(cell)

    def words(self, first: int) -> Iterator[tuple[int, str]]:
        """What stands from column `first` on, by blanks, with the column of each."""
        for found in re.finditer(r"\S+", self.text[first - 1 :]):
            yield first + found.start(), found.group()

    def numbers(self, first: int, what: str = "a player") -> tuple[int, ...]:
        return tuple(
            self._number(column, word, what, 1, MOST_PLAYERS) for column, word in self.words(first)
        )


@dataclass
class _Reader:
    """Collects the records of a report."""

    facts: dict[str, Any] = field(default_factory=dict)
    points: dict[str, Decimal] = field(default_factory=dict)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    players: dict[int, Player] = field(default_factory=dict)
    lines: dict[int, _Line] = field(default_factory=dict)
    named: list[tuple[_Line, int, tuple[int, ...]]] = field(default_factory=list)
    """Players that records name, to be looked up when all are known."""
    absent: tuple[int, ...] = ()
    forbidden_all: list[tuple[int, ...]] = field(default_factory=list)

    def take(self, line: _Line) -> None:
        tag = line.tag
        if tag == "###":
            self._add("comments", line.text[3:].strip())
        elif tag == "001":
            self._player(line)
        elif tag in TEXTS:
            self._once(line, TEXTS[tag], line.text[4:].strip())
        elif tag in TEAMS or (tag == "082" and line.cell(5, 20) not in ("", "0")):
            raise line.wrong(1, f"a record {tag} is of a team tournament; only single players are")
        elif tag in COUNTS:
            return
        elif tag == "112":
            self._add("deputies", line.text[4:].strip())
        elif record := RECORDS.get(tag):
            record(self, line)
        elif tag in BBP:
            self._score(line, BBP[tag], 5, line.cell(4, 20))
        elif len(tag) == 3 and tag.isascii() and tag.isalnum() and line.text[3:4] in ("", " "):
            self._add("others", line.text)
        else:
            raise line.wrong(1, f"a line begins with a record's three characters, not {tag!r}")

    def _add(self, name: str, value: Any) -> None:
        self.lists.setdefault(name, []).append(value)

    def _once(self, line: _Line, name: str, value: Any) -> None:
        if self.facts.get(name, value) != value:
            raise line.wrong(1, f"a second record {line.tag} says something else")
        self.facts[name] = value

    # -------------------------------------------------------------- players

    def _player(self, line: _Line) -> None:
        number = line.needed(5, 8, "the starting rank", least=1, most=MOST_PLAYERS)
        if number in self.players:
            raise line.wrong(5, f"the starting rank {number} stands twice")
        self.lines[number] = line
        self.players[number] = Player(
            number=number,
            name=line.cell(15, 47),
            sex=line.cell(10, 10),
            title=line.cell(11, 13),
            rating=line.whole(49, 52, "the rating", least=0, most=9999),
            federation=line.cell(54, 56),
            fide_number=line.cell(58, 68),
            birth=line.cell(70, 79),
            points=line.points(81, 84, "the total"),
            rank=line.whole(86, 89, "the rank", least=1, most=MOST_PLAYERS),
            games=tuple(self._game(line, column) for column in range(92, len(line.text) + 1, 10)),
        )

    def _game(self, line: _Line, column: int) -> Game:
        opponent = line.whole(column, column + 3, "the opponent", least=0, most=MOST_PLAYERS) or 0
        colour = line.cell(column + 5, column + 5).lower() or "-"
        result = line.cell(column + 7, column + 7).upper() or "Z"
        if colour not in "wb-":
            raise line.wrong(column + 5, f"the colour must be w, b or -, not {colour!r}")
        if result not in RESULTS:
            known = " ".join(RESULTS)
            raise line.wrong(column + 7, f"the result must be one of {known}, not {result!r}")
        if opponent and result in BYES:
            raise line.wrong(column, f"a result {result} is of a round without an opponent")
        if not opponent and result not in BYES + "+-":
            raise line.wrong(column, f"a result {result} needs an opponent")
        return Game(opponent, colour, result)

    def _check_games(self) -> None:
        for number, player in self.players.items():
            for index, game in enumerate(player.games):
                if not game.opponent:
                    continue
                line, column = self.lines[number], 92 + 10 * index
                other = self.players.get(game.opponent)
                if other is None:
                    raise line.wrong(column, f"there is no player {game.opponent}")
                back = other.games[index] if index < len(other.games) else Game(0, "-", "Z")
                if back.opponent != number or other is player:
                    raise line.wrong(
                        column,
                        f"round {index + 1}: {number} met {other.number}, whose own record names "
                        f"{back.opponent or 'nobody'}",
                    )
                if game.colour == back.colour != "-":
                    raise line.wrong(column + 5, f"both players have the colour {game.colour}")

    # -------------------------------------------------------------- other records

    def _dates(self, line: _Line) -> None:
        columns = range(92, len(line.text) + 1, 10)
        self._once(line, "dates", tuple(line.cell(column, column + 7) for column in columns))

    def _rounds(self, line: _Line) -> None:
        last = max(8, len(line.text))
        self._once(line, "rounds", line.needed(5, last, "the number of rounds", least=1, most=999))

    def _first_colour(self, line: _Line) -> None:
        colour = line.text[4:].strip().upper()
        if colour not in ("W", "B"):
            raise line.wrong(5, f"the initial colour must be W or B, not {colour!r}")
        self._once(line, "first_colour", colour)

    def _configuration(self, line: _Line) -> None:
        for column, word in line.words(5):
            match word.lower():
                case "white1":
                    self._once(line, "first_colour", "W")
                case "black1":
                    self._once(line, "first_colour", "B")
                case "rank":
                    self.facts["by_rank"] = True
                case _:
                    raise line.wrong(column, f"XXC has white1, black1 and rank, not {word!r}")

    def _score(self, line: _Line, letter: str, column: int, cell: str) -> None:
        value = line.amount(column, cell, "the points of a result")
        if self.points.setdefault(letter, value) != value:
            raise line.wrong(
                column,
                f"{cell} contradicts {self.points[letter]}: results that record 162 has as "
                f"{letter} are worth the same",
            )

    def _points(self, line: _Line) -> None:
        for column in range(6, len(line.text) + 1, 9):
            letter = line.cell(column, column).upper()
            if letter not in tuple("WDLAPX"):
                raise line.wrong(column, f"a result must be W, D, L, A, P or X, not {letter!r}")
            self._score(line, letter, column + 1, line.cell(column + 1, column + 4))

    def _javafo_points(self, line: _Line) -> None:
        for column, word in line.words(5):
            code, equals, amount = word.partition("=")
            if not equals or code.upper() not in SCORES:
                known = ", ".join(SCORES)
                raise line.wrong(column, f"XXS has CODE=POINTS with one of {known}, not {word!r}")
            self._score(line, SCORES[code.upper()], column + len(code) + 1, amount)

    def _ranking(self, line: _Line) -> None:
        self._once(line, "ranking", (line.cell(5, 7), line.cell(9, 13)))

    def _codes(self, line: _Line) -> None:
        name = "tie_breaks" if line.tag == "202" else "standing_order"
        codes = tuple(word for word in re.split(r"[,\s]+", line.text[4:]) if word)
        self._once(line, name, codes)

    def _bye(self, line: _Line) -> None:
        kind = line.cell(5, 5).upper()
        if kind not in ("F", "H", "Z"):
            raise line.wrong(5, f"a bye is F, H or Z, not {kind!r}")
        round_ = line.needed(7, 9, "the round", least=1, most=FOREVER)
        self._add("byes", Bye(kind, round_, self._names(line, 11)))

    def _names(self, line: _Line, column: int, least: int = 1) -> tuple[int, ...]:
        players = line.numbers(column)
        if len(players) < least:
            raise line.wrong(column, f"a record {line.tag} names at least {least} players")
        self.named.append((line, column, players))
        return players

    def _accelerated(self, line: _Line) -> None:
        points = line.points(10, 13, "the fictitious points")
        if points is None:
            raise line.wrong(10, "the fictitious points are missing")
        first = line.needed(15, 17, "the first round", least=1, most=FOREVER)
        low = line.needed(23, 26, "the first player", least=1, most=MOST_PLAYERS)
        high = line.whole(28, 31, "the last player", least=low, most=MOST_PLAYERS)
        last = line.whole(19, 21, "the last round", least=first, most=FOREVER)
        self._add("accelerations", Acceleration(points, first, last or first, low, high or low))

    def _javafo_accelerated(self, line: _Line) -> None:
        """XXA: a player's fictitious points round by round."""
        number = line.needed(5, 8, "the player", least=1, most=MOST_PLAYERS)
        spans: list[Acceleration] = []
        for round_, column in enumerate(range(10, len(line.text) + 1, 5), start=1):
            points = line.points(column, column + 3, "the fictitious points")
            if not points:
                continue
            if spans and spans[-1].points == points and spans[-1].last == round_ - 1:
                spans[-1] = Acceleration(points, spans[-1].first, round_, number, number)
            else:
                spans.append(Acceleration(points, round_, round_, number, number))
        self.lists.setdefault("accelerations", []).extend(spans)

    def _prohibited(self, line: _Line) -> None:
        first = line.needed(5, 7, "the first round", least=1, most=FOREVER)
        last = line.whole(9, 11, "the last round", least=first, most=FOREVER)
        self._add("forbidden", Forbidden(first, last or first, self._names(line, 13, 2)))

    def _javafo_prohibited(self, line: _Line) -> None:
        self.forbidden_all.append(self._names(line, 5, 2))

    def _absent(self, line: _Line) -> None:
        self.absent += self._names(line, 5)

    def _abnormal(self, line: _Line) -> None:
        kind = line.cell(5, 5).upper()
        if kind and kind not in tuple("WDLFHZ+-"):
            raise line.wrong(5, f"it must be W D L F H Z + - or blank, not {kind!r}")
        if line.cell(8, 11) not in ("", "0", "0.0", "00.0"):
            raise line.wrong(8, "match points are of team tournaments")
        points = line.points(14, 17, "the points")
        if points is None:
            raise line.wrong(14, "the points are missing")
        round_ = line.whole(20, 22, "the round", least=0, most=FOREVER) or 0
        players = tuple(each for each in line.numbers(24))
        self.named.append((line, 24, players))
        self._add("abnormal", Abnormal(kind, points, round_, players))

    # -------------------------------------------------------------- all of it

    def report(self) -> Report:
        if not self.players:
            raise TrfError("there is no player: a player is a line that begins with 001", 1, 1)
        self._check_games()
        for line, column, players in self.named:
            if strange := [each for each in players if each not in self.players]:
                raise line.wrong(column, f"there is no player {strange[0]}")
        played = max(len(player.games) for player in self.players.values())
        last = self.facts.get("rounds") or FOREVER
        byes = self._all("byes")
        if self.absent:
            byes += (Bye("Z", played + 1, self.absent),)
        every_round = tuple(Forbidden(1, last, players) for players in self.forbidden_all)
        facts: dict[str, Any] = {
            "name": "",
            **self.facts,
            **{
                name: self._all(name)
                for name in ("deputies", "accelerations", "abnormal", "comments", "others")
            },
            "players": tuple(self.players.values()),
            "points": self.points,
            "byes": byes,
            "forbidden": self._all("forbidden") + every_round,
        }
        return Report(**facts)

    def _all(self, name: str) -> tuple[Any, ...]:
        return tuple(self.lists.get(name, ()))


RECORDS: dict[str, Callable[[_Reader, _Line], None]] = {
    "132": _Reader._dates,
    "142": _Reader._rounds,
    "152": _Reader._first_colour,
    "162": _Reader._points,
    "172": _Reader._ranking,
    "202": _Reader._codes,
    "212": _Reader._codes,
    "240": _Reader._bye,
    "250": _Reader._accelerated,
    "260": _Reader._prohibited,
    "299": _Reader._abnormal,
    "XXR": _Reader._rounds,
    "XXC": _Reader._configuration,
    "XXS": _Reader._javafo_points,
    "XXA": _Reader._javafo_accelerated,
    "XXP": _Reader._javafo_prohibited,
    "XXZ": _Reader._absent,
}
