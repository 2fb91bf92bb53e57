"""The house's own bots as packages, made from their sources in the tree.

They lie under `bots/house/<game>/<name>/`. Files beside the bots' folders are shared: those in
`bots/house/` go into every package, those in `bots/house/<game>/` into every package of the game;
the Python kit's SDK comes from the kit. So each is in the tree once, and the packages are ordinary
ones.
"""

import functools
import json
from pathlib import Path

from engine.package import PackageError
from engine.package.archive import write_zip
from engine.package.manifest import MANIFEST_NAME

_ENGINE = Path(__file__).resolve().parent
_SDK = "slayer.py"
_HANDICAP = "handicap.json"


def house_names(game: str) -> list[str]:
    """The names of the house's bots for a game, sorted; empty for a game that has none."""
    if game not in _children(_house()):
        return []
    return _children(_house() / game)


def house_package(game: str, name: str, *, random_share: float = 0.0) -> bytes:
    """The zip of a house bot, the same bytes each time.

    `random_share` (0 to 1) is the share of its decisions that it takes at random. Raises
    PackageError for an unknown bot, naming the known ones, and ValueError for a share outside 0–1.
    """
    if not 0.0 <= random_share <= 1.0:
        raise ValueError(f"random_share is {random_share}; it must be from 0 to 1")
    known = house_names(game)
    if name not in known:
        raise PackageError(
            f"the house has no bot {name!a} for {game}; it has: {', '.join(known) or 'none'}"
        )
    files = dict(_sources(game, name))
    if random_share:
        files[_HANDICAP] = json.dumps({"random_share": random_share}).encode()
    return write_zip(files)


@functools.cache
def _sources(game: str, name: str) -> tuple[tuple[str, bytes], ...]:
    house = _house()
    sdk = _installed_or_beside("_kits", "kits") / "python" / _SDK
    paths = [sdk, *_files(house), *_files(house / game), *_files(house / game / name)]
    return tuple((path.name, path.read_bytes()) for path in paths)


def _house() -> Path:
    return _installed_or_beside("_house", "house")


def _installed_or_beside(installed: str, in_bots: str) -> Path:
    """A folder as the wheel installs it inside the engine, else where it lies in a checkout."""
    inside = _ENGINE / installed
    return inside if inside.is_dir() else _ENGINE.parent / "bots" / in_bots


def _children(folder: Path) -> list[str]:
    """Folders that hold bots or are one; none where the house is not there at all."""
    if not folder.is_dir():
        return []
    return sorted(
        item.name
        for item in folder.iterdir()
        if item.is_dir()
        and ((item / MANIFEST_NAME).exists() or any(item.glob(f"*/{MANIFEST_NAME}")))
    )


def _files(folder: Path) -> list[Path]:
    """The files of one folder that belong into a package, sorted."""
    return sorted(path for path in folder.iterdir() if path.is_file() and path.name[0] not in "._")
