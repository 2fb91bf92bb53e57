"""Games are found by name and edition."""

import pytest

from engine import UnknownGame, games


def test_the_newest_edition_by_name():
    game = games.get("deca-slayer")
    assert (game.name, game.title, game.edition) == ("deca-slayer", "Deca Slayer", "1")
    assert (game.min_players, game.max_players) == (3, 6)
    assert games.get("deca-slayer", edition="1") is game


def test_all_games_by_name():
    names = [game.name for game in games.all()]
    assert names == sorted(names)
    assert "deca-slayer" in names
    assert all(games.get(game.name) is game for game in games.all())


@pytest.mark.parametrize("name", ["chess", "", "Deca-Slayer", "deca_slayer", None, 3, ["deca"]])
def test_unknown_game_names_the_known(name):
    with pytest.raises(UnknownGame, match=r"unknown game .*known are: .*deca-slayer"):
        games.get(name)


@pytest.mark.parametrize("edition", ["2", "", 1, ["1"]])
def test_unknown_edition_names_the_known(edition):
    with pytest.raises(UnknownGame, match=r"deca-slayer has no edition .*; known are: '1'"):
        games.get("deca-slayer", edition=edition)


def test_unknown_game_is_a_value_error():
    assert issubclass(UnknownGame, ValueError)
