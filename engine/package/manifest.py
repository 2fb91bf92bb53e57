"""The manifest of a package, `bot.toml`: which games the bot plays and how it is started."""

import difflib
import re
import tomllib
from dataclasses import dataclass

from engine.package.errors import PackageError

MANIFEST_NAME = "bot.toml"
LANGUAGES = ("python", "javascript", "java", "native")

_KEYS = ("games", "language", "entry", "name", "version")
_LONGEST_MANIFEST_BYTES = 16_384
_LONGEST_TEXT = 80
_GAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_EXAMPLE = 'games = ["deca-slayer"], language = "python", entry = "main.py"'


@dataclass(frozen=True)
class Manifest:
    """What `bot.toml` says.

    `entry` is a path inside the package; `name` and `version` are only shown.
    """

    games: tuple[str, ...]
    language: str
    entry: str
    name: str = ""
    version: str = ""


def parse_manifest(data: bytes) -> Manifest:
    """Read the bytes of a `bot.toml`; PackageError names the key that is wrong."""
    if len(data) > _LONGEST_MANIFEST_BYTES:
        raise PackageError(
            f"bot.toml has {len(data):,} bytes; at most {_LONGEST_MANIFEST_BYTES:,} are allowed"
        )
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise PackageError(f"bot.toml is not UTF-8 text (byte {error.start})") from None
    except RecursionError:
        raise PackageError("bot.toml is nested too deeply") from None
    except ValueError as error:
        raise PackageError(f"bot.toml is not valid TOML: {error}") from None
    for key in table:
        if key not in _KEYS:
            raise PackageError(f"bot.toml has an unknown key {_shown(key)}{_nearest(key, _KEYS)}")
    return Manifest(
        games=_games(table),
        language=_language(table),
        entry=_entry(table),
        name=_text(table, "name"),
        version=_text(table, "version"),
    )


def _games(table: dict[str, object]) -> tuple[str, ...]:
    games = table.get("games")
    if games is None:
        raise PackageError(f"bot.toml lacks games; a whole one: {_EXAMPLE}")
    if not isinstance(games, list) or not all(isinstance(game, str) for game in games):
        raise PackageError(
            'games in bot.toml must be a list of names, such as games = ["deca-slayer"]'
        )
    if not games:
        raise PackageError("games in bot.toml is empty; name at least one game")
    for game in games:
        if not _GAME.fullmatch(game):
            raise PackageError(
                f"games in bot.toml has {_shown(game)}; a game's name has small letters, digits "
                'and single hyphens, such as "deca-slayer"'
            )
    if len(set(games)) < len(games):
        raise PackageError("games in bot.toml names a game twice")
    return tuple(games)


def _language(table: dict[str, object]) -> str:
    language = table.get("language", "python")
    if not isinstance(language, str):
        raise PackageError('language in bot.toml must be a text, such as language = "python"')
    if language not in LANGUAGES:
        raise PackageError(
            f"language in bot.toml is {_shown(language)}{_nearest(language.lower(), LANGUAGES)}"
        )
    return language


def _entry(table: dict[str, object]) -> str:
    entry = table.get("entry")
    if entry is None:
        raise PackageError('bot.toml lacks entry, the file to start; for example entry = "main.py"')
    if not isinstance(entry, str):
        raise PackageError('entry in bot.toml must be a text, such as entry = "main.py"')
    shown = _shown(entry)
    if not entry:
        raise PackageError("entry in bot.toml is empty; name the file to start")
    if "\\" in entry:
        raise PackageError(f"entry in bot.toml is {shown}; folders are separated by /")
    if entry.startswith("/") or entry[1:2] == ":":
        raise PackageError(
            f"entry in bot.toml is {shown}, an absolute path; it must be relative to bot.toml"
        )
    parts = entry.split("/")
    if ".." in parts:
        raise PackageError(f"entry in bot.toml is {shown}; it may not leave the package by '..'")
    if "" in parts or "." in parts:
        raise PackageError(
            f"entry in bot.toml is {shown}; write the plain path of a file, without '.', '//' or a "
            "slash at its end"
        )
    return entry


def _text(table: dict[str, object], key: str) -> str:
    text = table.get(key, "")
    if not isinstance(text, str):
        raise PackageError(f'{key} in bot.toml must be a text: {key} = "…"')
    if len(text) > _LONGEST_TEXT or not text.isprintable():
        raise PackageError(
            f"{key} in bot.toml must be one line of at most {_LONGEST_TEXT} printable characters"
        )
    return text


def _nearest(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return f"{meant}; known: {', '.join(known)}"


def _shown(text: str) -> str:
    return ascii(text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "…")
