"""Packages as a whole: manifest, entry, single files, folders, unpacking."""

import hashlib
import io
import os
import stat
import zipfile

import pytest

from engine.package import LANGUAGES, Manifest, PackageError, PackageLimits, from_path, read
from engine.sandbox.api import Program

GAME = "deca-slayer"
TOML = 'games = ["deca-slayer"]\nlanguage = "python"\nentry = "main.py"\n'
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\x3e\x00" + bytes(100)


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def package_of(toml=TOML, files=None, game=GAME):
    files = {"main.py": "pass"} if files is None else files
    return read(zipped({"bot.toml": toml} | files), filename="bot.zip", game=game)


def refused(*args, **kwargs):
    with pytest.raises(PackageError) as caught:
        package_of(*args, **kwargs)
    return str(caught.value)


# ------------------------------------------------------------------ manifest


def test_manifest_is_read():
    toml = TOML.replace("]", ', "kunlun"]') + 'name = "Tricky ♥"\nversion = "2.1-beta"\n'
    assert package_of(toml).manifest == Manifest(
        games=("deca-slayer", "kunlun"),
        language="python",
        entry="main.py",
        name="Tricky ♥",
        version="2.1-beta",
    )


def test_python_is_the_language_if_none_is_named():
    assert package_of('games = ["deca-slayer"]\nentry = "main.py"').manifest.language == "python"


def test_manifest_saved_by_a_windows_editor_is_read():
    assert package_of("\ufeff" + TOML.replace("\n", "\r\n")).manifest.entry == "main.py"


@pytest.mark.parametrize(
    ("toml", "reason"),
    [
        (TOML + "langauge = 1", "unknown key 'langauge' (did you mean 'language'?)"),
        (TOML + 'Entry = "x"', "unknown key 'Entry' (did you mean 'entry'?)"),
        (TOML + "zzz = 1", "unknown key 'zzz'; known: games, language, entry, name, version"),
        ("[bot]\n" + TOML, "unknown key 'bot'"),
        (TOML.replace("python", "Pyhton"), "'Pyhton' (did you mean 'python'?)"),
        (TOML.replace("python", "cobol"), "known: python, javascript, java, native"),
        (TOML.replace('"python"', "3"), "language in bot.toml must be a text"),
        (TOML.replace('["deca-slayer"]', '"deca-slayer"'), "must be a list of names"),
        (TOML.replace('["deca-slayer"]', "[1]"), "must be a list of names"),
        (TOML.replace('["deca-slayer"]', "[]"), "games in bot.toml is empty"),
        (TOML.replace('"deca-slayer"]', '"Deca Slayer"]'), "'Deca Slayer'"),
        (TOML.replace("]", ', "deca-slayer"]'), "names a game twice"),
        (TOML.replace("games", "#games"), "lacks games"),
        (TOML.replace("entry", "#entry"), "lacks entry"),
        (TOML.replace('"main.py"', "true"), "entry in bot.toml must be a text"),
        (TOML.replace("main.py", ""), "entry in bot.toml is empty"),
        (TOML.replace("main.py", "/bot/main.py"), "absolute path"),
        (TOML.replace('"main.py"', "'C:\\main.py'"), "separated by /"),
        (TOML.replace("main.py", "C:/main.py"), "absolute path"),
        (TOML.replace("main.py", "../main.py"), "'..'"),
        (TOML.replace("main.py", "src/../main.py"), "'..'"),
        (TOML.replace("main.py", "./main.py"), "without '.'"),
        (TOML.replace("main.py", "other.py"), "entry 'other.py' is not in the package"),
        (TOML.replace("main.py", "Main.py"), "entry 'Main.py' is not in the package"),
        (TOML + "name = 1", "name in bot.toml must be a text"),
        (TOML + f'name = "{"x" * 81}"', "at most 80"),
        (TOML + 'version = "a\\nb"', "one line"),
        ("games = [", "not valid TOML"),
        (TOML + TOML, "not valid TOML"),
        (TOML + "name = " + "[" * 5_000, "bot.toml is "),
        (TOML + "#" * 20_000, "at most 16,384"),
        (TOML.encode() + b"name = '\xff'", "bot.toml is not UTF-8"),
    ],
)
def test_manifest_is_refused(toml, reason):
    message = refused(toml)
    assert reason in message
    assert message.isprintable()


def test_package_for_another_game_is_refused():
    message = refused(TOML.replace("deca-slayer", "kunlun"))
    assert message == "uploaded to a deca-slayer bot, but bot.toml's games lists kunlun"


def test_without_a_game_any_is_taken():
    assert package_of(TOML.replace("deca-slayer", "kunlun"), game=None).manifest.games == (
        "kunlun",
    )


# ------------------------------------------------------------------ where bot.toml is


def test_one_enclosing_folder_is_accepted():
    data = zipped({"my-bot/bot.toml": TOML, "my-bot/main.py": "pass", "my-bot/a/b": "1"})
    package = read(data, filename="x.zip", game=GAME)
    assert set(package.files) == {"bot.toml", "main.py", "a/b"}


def test_what_a_mac_adds_is_left_out():
    data = zipped({"bot/bot.toml": TOML, "bot/main.py": "pass", "__MACOSX/bot/._main.py": "?"})
    assert set(read(data, filename="x.zip", game=GAME).files) == {"bot.toml", "main.py"}


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"main.py": "pass"}, "no bot.toml at the root"),
        ({"Bot.toml": TOML, "main.py": "pass"}, "small letters; here it is 'Bot.toml'"),
        ({"a/b/bot.toml": TOML}, "here it is 'a/b/bot.toml'"),
        ({"a/bot.toml": TOML, "b/main.py": ""}, "here it is 'a/bot.toml'"),
    ],
)
def test_bot_toml_elsewhere_is_refused(files, reason):
    with pytest.raises(PackageError) as caught:
        read(zipped(files), filename="x.zip", game=GAME)
    assert reason in str(caught.value)


# ------------------------------------------------------------------ the entry by its language


def toml_for(language, entry):
    return f'games = ["deca-slayer"]\nlanguage = "{language}"\nentry = "{entry}"\n'


def test_each_language_has_its_kind_of_entry():
    contents = {
        "python": "pass",
        "javascript": "1;",
        "java": zipped({"A.class": ""}),
        "native": ELF,
    }
    assert set(contents) == set(LANGUAGES)
    for language, content in contents.items():
        package = package_of(toml_for(language, "bin/e"), {"bin/e": content})
        assert package.manifest.language == language


@pytest.mark.parametrize(
    ("language", "content", "reason"),
    [
        ("python", b"\xff\xfe", "not UTF-8 text"),
        ("python", b"a\0b", "zero byte"),
        ("python", b" \n", "is empty"),
        ("python", ELF + b"\xff", "a Linux program, not source text"),
        ("javascript", b"\x80", "not UTF-8 text"),
        ("java", b"class A {}", "not a jar"),
        ("native", b"#!/bin/sh\n", "not a Linux program for x86-64"),
        ("native", b"MZ\x90\0", "but a Windows program"),
        ("native", ELF[:18] + b"\xb7\x00" + ELF[20:], "not a Linux program for x86-64"),
        ("native", b"\x7fELF\x01" + ELF[5:], "64-bit ELF"),
    ],
)
def test_entry_of_the_wrong_kind_is_refused(language, content, reason):
    assert reason in refused(toml_for(language, "e"), {"e": content})


def test_entry_that_is_a_folder_is_refused():
    assert "'src' is a folder" in refused(toml_for("python", "src"), {"src/main.py": "pass"})


# ------------------------------------------------------------------ bytes from anybody


def test_single_file_is_a_package():
    package = read("print('ü')".encode(), filename="bot.py", game="kunlun")
    assert package.manifest == Manifest(games=("kunlun",), language="python", entry="bot.py")
    assert package.files == {"bot.py": "print('ü')".encode()}
    assert package.sha256 == hashlib.sha256("print('ü')".encode()).hexdigest()


@pytest.mark.parametrize("filename", ["../../bot.py", "C:\\Users\\me\\bot.py", "/etc/bot.py"])
def test_folders_in_the_senders_file_name_are_dropped(filename):
    assert read(b"pass", filename=filename, game=GAME).manifest.entry == "bot.py"


@pytest.mark.parametrize(
    ("data", "filename", "game", "reason"),
    [
        (b"", "bot.py", GAME, "'bot.py' is empty"),
        (b"\xe9", "bot.py", GAME, "not UTF-8"),
        (b"a\0", "bot.py", GAME, "zero byte"),
        (zipped({"bot.toml": TOML * 9}), "bot.py", GAME, "a zip archive, not source text"),
        (b"pass", "bo\nt.py", GAME, "control character"),
        (b"pass", "bot.py", None, "does not say its game"),
        (b"x" * 10_000_001, "bot.py", GAME, "at most 10 MB"),
        (b"", "bot.zip", GAME, "'bot.zip' is empty"),
        (b"pass", "bot", GAME, "not a zip"),
        (b"\x1f\x8b\x08", "bot.tar.gz", GAME, "is gzip; upload a zip"),
        (b"Rar!\x1a\x07", "bot.rar", GAME, "is RAR; upload a zip"),
        (ELF, "bot", GAME, "is a Linux program; upload a zip"),
        (b"PK\3\4" + bytes(10_000_000), "bot.zip", GAME, "at most 10 MB"),
    ],
)
def test_upload_is_refused(data, filename, game, reason):
    with pytest.raises(PackageError) as caught:
        read(data, filename=filename, game=game)
    assert reason in str(caught.value)


def test_hash_is_that_of_the_uploaded_bytes():
    data = zipped({"bot.toml": TOML, "main.py": "pass"})
    package = read(data, filename="bot.zip", game=GAME)
    assert package.data == data
    assert package.sha256 == hashlib.sha256(data).hexdigest()


# ------------------------------------------------------------------ an author's own paths


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.toml").write_text(TOML)
    (folder / "main.py").write_text("pass")
    (folder / "lib" / "x.py").write_text("x = 1")
    return folder


def test_folder_zip_and_file_are_read(folder, tmp_path):
    (tmp_path / "b.zip").write_bytes(zipped({"bot.toml": TOML, "main.py": "pass"}))
    assert set(from_path(folder, GAME).files) == {"bot.toml", "main.py", "lib/x.py"}
    assert set(from_path(tmp_path / "b.zip", GAME).files) == {"bot.toml", "main.py"}
    assert from_path(folder / "main.py", GAME).manifest.entry == "main.py"


def test_folder_has_one_hash_whatever_lies_around(folder):
    first = from_path(folder, GAME)
    for name in (".git/config", "__pycache__/main.pyc", "lib/.cache", "node_modules/a/b.js"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("?")
    os.utime(folder / "main.py", (0, 0))
    (folder / "main.py").chmod(0o600)
    assert from_path(folder, GAME) == first
    again = read(first.data, filename="bot.zip", game=GAME)
    assert again == first


def test_hash_of_a_folder_is_the_same_on_every_machine(tmp_path):
    # Made once with Info-ZIP's layout in mind: stored, 1980-01-01, names sorted. A change here
    # means that every author's folder gets another hash.
    (tmp_path / "bot.toml").write_text(TOML)
    (tmp_path / "main.py").write_text("pass")
    central = zipfile.ZipFile(io.BytesIO(from_path(tmp_path, GAME).data)).infolist()
    assert [(i.filename, i.compress_type, i.date_time, i.create_system) for i in central] == [
        ("bot.toml", zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0), 3),
        ("main.py", zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0), 3),
    ]


def test_folder_may_be_larger_than_a_zip_but_not_than_its_contents(folder):
    limits = PackageLimits(archive=100, total=2_000, file=1_500)
    (folder / "a").write_bytes(bytes(1_500))
    assert from_path(folder, GAME, limits=limits)
    (folder / "b").write_bytes(bytes(500))
    with pytest.raises(PackageError, match="the folder is too large"):
        from_path(folder, GAME, limits=limits)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda folder: (folder / "l").symlink_to("/etc/passwd"), "l is a link"),
        (lambda folder: os.mkfifo(folder / "p"), "p is a device, pipe or socket"),
        (lambda folder: (folder / "a|b").write_text(""), "holds |"),
        (lambda folder: (folder / "MAIN.PY").write_text(""), "ignore case"),
        (lambda folder: (folder / "bot.toml").unlink(), "no bot.toml"),
        (lambda folder: [(folder / f"f{i}").touch() for i in range(501)], "more than 500 files"),
    ],
)
def test_folder_is_refused(folder, make, reason):
    make(folder)
    with pytest.raises(PackageError) as caught:
        from_path(folder, GAME)
    assert reason in str(caught.value)


def test_path_that_is_not_there_or_no_file_is_refused(tmp_path):
    with pytest.raises(PackageError, match="does not exist"):
        from_path(tmp_path / "nothing", GAME)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PackageError, match="neither a folder nor a file"):
        from_path(tmp_path / "pipe", GAME)


# ------------------------------------------------------------------ unpacking


def test_unpacked_for_every_reader(tmp_path):
    package = package_of(toml_for("native", "bin/e"), {"bin/e": ELF, "data/w": "1"})
    umask = os.umask(0o077)
    try:
        program = package.unpack(tmp_path / "out")
    finally:
        os.umask(umask)
    assert program == Program(tmp_path / "out", "native", "bin/e")

    def mode(path):
        return stat.S_IMODE((tmp_path / "out" / path).stat().st_mode)

    assert (tmp_path / "out" / "bin/e").read_bytes() == ELF
    assert [mode(p) for p in (".", "bin", "data")] == [0o755] * 3
    assert mode("bin/e") == 0o755
    assert [mode(p) for p in ("data/w", "bot.toml")] == [0o644] * 2


def test_only_a_native_entry_can_be_executed(tmp_path):
    package_of().unpack(tmp_path / "out")
    assert not (tmp_path / "out" / "main.py").stat().st_mode & 0o111


def test_folder_must_be_new(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(FileExistsError):
        package_of().unpack(tmp_path / "out")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        package_of().unpack(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_nothing_is_left_when_writing_fails(tmp_path, monkeypatch):
    package = package_of(files={"main.py": "pass", "z": "1"})
    written = []
    real_open = os.open

    def full_disk(path, flags, *args, **kwargs):
        if str(path).endswith("z"):
            written.append(path)
            raise OSError(28, "No space left on device")
        return real_open(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", full_disk)
    with pytest.raises(OSError, match="No space left"):
        package.unpack(tmp_path / "out")
    assert written
    assert not (tmp_path / "out").exists()
