"""Every game plays as it played when its golden files were written."""

import json

import pytest

from engine import games
from tests.golden.plays import FOLDER, deals, lines, path

AGAIN = "if that is meant, and the edition is not released: python3 -m tests.golden.make"
FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("game", games.all(), ids=lambda game: game.name)
def test_every_game_has_its_files(game):
    missing = [path(deal).name for deal in deals(game) if not path(deal).exists()]
    assert not missing, f"write them with python3 -m tests.golden.make: {missing}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden(file):
    golden = file.read_text().splitlines()
    deal = json.loads(golden[0])
    assert path(deal) == file
    number = 0
    for number, line in enumerate(lines(deal), 1):
        expected = golden[number - 1] if number <= len(golden) else "the end of the file"
        assert line == expected, f"line {number} of {file.name} differs; {AGAIN}"
    assert number == len(golden), f"the play ends {len(golden) - number} lines early; {AGAIN}"
