import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from engine import replay, sandbox
from engine.cli import main
from engine.record import Record, play_hash
from engine.sandbox import CannotIsolate, MachineFailure
from engine.sandbox.tiers import BACK_ENDS
from engine.verify import verify

SEED = "5e" * 32
TABLE = ["house:greedy", "house:random", "house:random"]
ROOT = Path(__file__).parents[2]

BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "decide":
        answer = {"id": message["id"], "action": message["legal_actions"][0], "note": "hm"}
        print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def run(capsys):
    """Runs one command; gives exit status, standard output and standard error."""

    def running(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:  # how argparse ends
            status = end.code
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return status, out, err

    return running


@pytest.fixture
def author(tmp_path):
    """An author's own bot, as one file."""
    path = tmp_path / "mine.py"
    path.write_text(BOT)
    return path


def test_the_same_seed_gives_the_same_play_hash_and_verify_takes_both_forms(tmp_path):
    command = [sys.executable, "-m", "engine"]
    file = tmp_path / "play.slyr"
    documents = []
    for _ in range(2):
        done = subprocess.run(
            [*command, "play", "deca-slayer", *TABLE, "--seed", SEED, "--json", "--replay", file],
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        documents.append(json.loads(done.stdout))
    first, second = documents
    assert first["play_hash"] == second["play_hash"]
    # Only timings and measured values differ.
    for document in documents:
        del document["record"]["cpu_ms"]
        for seat in document["seats"]:
            del seat["measured"]
    assert first == second
    (tmp_path / "play.json").write_bytes(done.stdout)
    for name in ("play.slyr", "play.json"):
        done = subprocess.run(
            [*command, "verify", tmp_path / name], cwd=ROOT, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert first["play_hash"] in done.stdout.decode()


def test_the_document_has_record_hash_and_seats(run):
    status, out, _ = run("play", "deca-slayer", *TABLE, "--option", "guilds=true", "--json")
    document = json.loads(out)
    record = Record.from_dict(document["record"])
    assert status == 0
    assert document["play_hash"] == play_hash(record)
    assert record.isolation in BACK_ENDS
    assert record.options["guilds"] is True
    assert [seat["bot"] for seat in document["seats"]] == TABLE
    assert [seat["score"] for seat in document["seats"]] == record.scores
    assert [seat["place"] for seat in document["seats"]] == record.places
    assert all(seat["failure"] is None for seat in document["seats"])
    assert all(seat["measured"]["cpu_ms"] > 0 for seat in document["seats"])
    assert record.packages[1] == record.packages[2] != record.packages[0]
    verify(record)


def test_without_a_seed_a_fresh_one_is_printed(run):
    seeds = set()
    for _ in range(2):
        status, out, _ = run("play", "deca-slayer", *TABLE)
        assert status == 0
        seeds.add(re.search(r"^seed ([0-9a-f]{64})$", out, re.MULTILINE)[1])
        assert re.search(r"^   0  house:greedy +\d+ +[123] +\d+$", out, re.MULTILINE)
        assert re.search(r"^play hash [0-9a-f]{64}$", out, re.MULTILINE)
        assert re.search(r"bots isolated by (ns|bubblewrap)", out)
    assert len(seeds) == 2


def test_a_bot_can_be_a_file_a_folder_or_a_zip(run, author, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "main.py").write_text(BOT)
    (folder / "bot.toml").write_text(
        'games = ["deca-slayer"]\nlanguage = "python"\nentry = "main.py"\n'
    )
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    status, out, _ = run(
        "play", "deca-slayer", author, folder, tmp_path / "bot.zip", "--seed", SEED, "--json"
    )
    document = json.loads(out)
    assert status == 0
    assert document["record"]["failures"] == []
    assert document["seats"][1]["notes"][0]["text"] == "hm"


def test_trusted_bots_play_without_isolation_and_it_says_so(run, author):
    arguments = ["play", "deca-slayer", author, author, author, "--seed", SEED, "--trust"]
    status, out, _ = run(*arguments)
    assert status == 0
    assert "without isolation" in out
    _, out, _ = run(*arguments, "--json")
    document = json.loads(out)
    assert document["record"]["isolation"] == "plain"
    # Isolation is no part of what was played.
    _, isolated, _ = run(*arguments[:-1], "--json")
    assert json.loads(isolated)["play_hash"] == document["play_hash"]


def test_a_rotation_moves_every_bot_one_seat_on(run):
    _, out, _ = run("play", "deca-slayer", *TABLE, "--seed", SEED, "--rotation", "1", "--json")
    document = json.loads(out)
    assert [seat["bot"] for seat in document["seats"]] == [
        "house:random",
        "house:greedy",
        "house:random",
    ]
    assert document["record"]["rotation"] == 1


def test_a_failed_bot_is_shown_with_its_reason_and_the_play_counts_as_played(run, tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("import sys\nprint('\\x1b[31mred', file=sys.stderr)\nraise SystemExit(7)\n")
    arguments = ["play", "deca-slayer", "house:random", bad, "house:random", "--seed", SEED]
    status, out, _ = run(*arguments)
    assert status == 0
    assert f"seat 1 ({bad}) failed at decision 0, reason exit: " in out
    assert "exit code 7" in out
    assert r"    \x1b[31mred" in out
    assert "\x1b" not in out
    _, out, _ = run(*arguments, "--json")
    failure = json.loads(out)["seats"][1]["failure"]
    assert (failure["reason"], failure["decision"], failure["exit_code"]) == ("exit", 0, 7)


def test_times_can_be_set(run, author):
    status, out, _ = run(
        "play", "deca-slayer", author, author, author, "--json",
        "--start-ms", 4000, "--move-ms", 70, "--bank-ms", 900,
    )  # fmt: skip
    assert status == 0
    assert json.loads(out)["record"]["time"] == {"start_ms": 4000, "move_ms": 70, "bank_ms": 900}


WRONG_USE = {
    "an unknown game": (["chess", *TABLE], "unknown game 'chess'; known are: .*deca-slayer"),
    "too few bots": (["deca-slayer", *TABLE[:2]], "3 to 6 players, not 2"),
    "an unknown option": (["deca-slayer", *TABLE, "--option", "gold=1"], "unknown option 'gold'"),
    "a wrong value": (["deca-slayer", *TABLE, "--option", "guilds=1"], "guilds"),
    "no value": (["deca-slayer", *TABLE, "--option", "guilds"], "write NAME=VALUE"),
    "a short seed": (["deca-slayer", *TABLE, "--seed", "5e"], "64 lower-case hex digits"),
    "an upper-case seed": (["deca-slayer", *TABLE, "--seed", "5E" * 32], "64 lower-case hex"),
    "a wrong time": (["deca-slayer", *TABLE, "--start-ms", "0"], r"time.start_ms .* from 1 to"),
    "a rotation too far": (["deca-slayer", *TABLE, "--rotation", "3"], "from 0 to 2"),
    "no folder": (["deca-slayer", *TABLE, "--replay", "/no/such/x"], "no folder /no/such"),
    "an unknown house bot": (["deca-slayer", *TABLE[:2], "house:tal"], "house:tal: .*greedy"),
    "no such file": (["deca-slayer", *TABLE[:2], "/no/such/bot.py"], "bot.py.*does not exist"),
    "a number that is none": (["deca-slayer", *TABLE, "--move-ms", "fast"], "invalid int value"),
    "no bot": (["deca-slayer"], "BOT"),
}


@pytest.mark.parametrize("case", WRONG_USE)
def test_wrong_use_is_refused_with_what_would_be_right(run, case):
    arguments, complaint = WRONG_USE[case]
    status, out, err = run("play", *arguments)
    assert (status, out) == (2, "")
    assert re.search(complaint, err)


@pytest.mark.parametrize(
    ("manifest", "complaint"),
    [
        ('games = ["deca-slayer"]\nlanguage = "pascal"\nentry = "main.py"\n', "pascal"),
        ('games = ["kunlun"]\nlanguage = "python"\nentry = "main.py"\n', "kunlun"),
        ("games = [", "bot.toml"),
    ],
)
def test_a_wrong_package_is_refused_by_name(run, tmp_path, manifest, complaint):
    (tmp_path / "main.py").write_text(BOT)
    (tmp_path / "bot.toml").write_text(manifest)
    status, out, err = run("play", "deca-slayer", *TABLE[:2], tmp_path)
    assert (status, out) == (2, "")
    assert f"bot {tmp_path}: " in err
    assert complaint in err


def test_a_machine_that_cannot_isolate_says_so_and_names_the_way_out(run, monkeypatch):
    def cannot():
        raise CannotIsolate("bubblewrap is missing; install bubblewrap")

    monkeypatch.setattr(sandbox, "isolated", cannot)
    status, out, err = run("play", "deca-slayer", *TABLE)
    assert (status, out) == (2, "")
    assert "bubblewrap is missing" in err
    assert "--trust" in err


def test_a_failing_machine_is_not_the_bots_fault(run, monkeypatch):
    def fails():
        raise MachineFailure("no processes left")

    monkeypatch.setattr(sandbox, "isolated", fails)
    assert run("play", "deca-slayer", *TABLE) == (
        3,
        "",
        "the machine failed, not a bot: no processes left\n",
    )


@pytest.fixture
def played(run, tmp_path):
    """A replay file and the JSON document of the same play."""
    file = tmp_path / "play.slyr"
    _, out, _ = run(
        "play", "deca-slayer", *TABLE, "--seed", SEED, "--json", "--replay", file, "--trust"
    )
    return file, json.loads(out)


def test_verify_names_the_place_where_a_replay_differs(run, played, tmp_path):
    file, document = played
    record = document["record"]
    record["actions"][9][1] = 148
    for content in (document, record):
        other = tmp_path / "other.json"
        other.write_text(json.dumps(content))
        status, out, err = run("verify", other)
        assert (status, out) == (1, "")
        assert f"{other} differs at action 9: seat " in err
        assert "'transmute dragon'; legal are: " in err
    file.write_bytes(replay.dumps(Record.from_dict(record)))
    status, _, err = run("verify", file)
    assert status == 1
    assert "differs at action 9" in err


def test_verify_checks_the_hash_that_the_document_claims(run, played, tmp_path):
    _, document = played
    right, document["play_hash"] = document["play_hash"], "0" * 64
    file = tmp_path / "other.json"
    file.write_text(json.dumps(document))
    status, _, err = run("verify", file)
    assert status == 1
    assert f"differs at play_hash: the file says '{'0' * 64}'; it is {right}" in err


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not a readable replay"),
        (b"GIF89a", "begins with b'GIF8'"),
        (b"SLYR\x01\x01\x00\x78\x9c", "cut off"),
        (b"{", "Expecting property name"),
        (b"{}", "record lacks"),
        (b'{"record": 7}', "record must be an object"),
        (b'{"record": {}, "record": {}}', "the same key twice"),
        (b'{"record": ' + b"[" * 100_000, "nested too deep"),
        (b"{\xff}", "utf-8"),
    ],
)
def test_verify_refuses_what_is_no_record(run, tmp_path, content, complaint):
    file = tmp_path / "file"
    file.write_bytes(content)
    status, out, err = run("verify", file)
    assert (status, out) == (2, "")
    assert err.startswith(f"{file}: ")
    assert complaint in err


def test_verify_without_a_file(run, tmp_path):
    assert run("verify", tmp_path / "none")[::2] == (
        2,
        f"{tmp_path / 'none'}: No such file or directory\n",
    )
    assert run("verify", tmp_path)[::2] == (2, f"{tmp_path}: Is a directory\n")


def test_games_lists_players_and_options(run):
    status, out, _ = run("games")
    assert status == 0
    assert "deca-slayer: Deca Slayer, edition 1, 3 to 6 players" in out
    assert re.search(r"--option guilds=… .*\n +one of false, true; without it false", out)


def test_games_as_json(run):
    _, out, _ = run("games", "--json")
    (game,) = [game for game in json.loads(out) if game["name"] == "deca-slayer"]
    assert (game["min_players"], game["max_players"]) == (3, 6)
    options = {option["name"]: option for option in game["options"]}
    assert options["guilds"] == {
        "name": "guilds",
        "title": options["guilds"]["title"],
        "default": False,
        "values": [False, True],
    }


def test_no_command_shows_the_usage(run):
    status, _, err = run()
    assert status == 2
    assert "usage: " in err


def test_a_reader_that_has_gone_is_no_error():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "engine", "games", "--json"],
        cwd=ROOT,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
