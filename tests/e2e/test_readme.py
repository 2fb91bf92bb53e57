"""Every command of the README, run; and every command and file that it or deploy/README names."""

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from deploy import children
from deploy.installation import CHECKOUT
from tests.e2e.installation import Site, started, until
from tests.frontend.docs_reader import Code, code
from tests.frontend.docs_shell import Shell

README = CHECKOUT / "README.md"
TEXT = README.read_text(encoding="utf-8")
ROOMS = ("api", "bots", "deploy", "engine", "frontend", "tests", "tournaments")
BLOCKS = code(str(README))


def block(heading: str, language: str, number: int = 0) -> str:
    return [each for each in BLOCKS if (each.heading, each.language) == (heading, language)][
        number
    ].text


def saved_bot(folder: Path) -> None:
    """The bot of the README, under the name that the text gives it."""
    before = TEXT[: TEXT.index("```python")]
    name = re.findall(r"`(\w+\.py)`", before)[-1]
    (folder / name).write_text(block("Write a bot in five minutes", "python"))


# Which test runs each block of commands.
RUN_BY = {
    ("Start", "python3 manage.py demo\n"): "test_demo_plays_its_season",
    (
        "Start",
        "python3 manage.py test\n",
    ): "test_passing_tests_end_with_status_0_on_servers_of_the_run",
    ("See a play", None): "test_a_play_is_seen_kept_and_verified",
    ("Write a bot in five minutes", None): "test_the_bot_of_the_readme_plays",
    ("Upload it", None): "test_what_is_uploaded_comes_onto_the_ladder",
}


def runner_of(each: Code) -> str | None:
    return RUN_BY.get((each.heading, each.text)) or RUN_BY.get((each.heading, None))


def test_no_command_is_left_out() -> None:
    commands = [each for each in BLOCKS if each.language not in ("", "python")]
    assert {each.language for each in commands} == {"sh"}
    assert [runner_of(each) for each in commands] == list(RUN_BY.values())
    here = Path(__file__).read_text() + (CHECKOUT / "tests/deploy/test_test_command.py").read_text()
    assert all(f"def {name}(" in here for name in RUN_BY.values())
    # The others: one bot, and the drawing of the rooms, which is no code.
    assert [each.heading for each in BLOCKS if each.language == "python"] == [
        "Write a bot in five minutes"
    ]
    assert [each.heading for each in BLOCKS if not each.language] == ["How it works"]


def test_a_play_is_seen_kept_and_verified(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    said = shell.run(block("See a play", "sh"))
    assert (shell.folder / "play.replay").stat().st_size > 100
    assert said.count("house:random") == 2
    told = shell.run("python3 -m engine play --help")
    options = re.findall(r"`(--[a-z-]+)", TEXT[TEXT.index("## See a play") :])
    assert options
    assert [option for option in options if option not in told] == []


def test_the_bot_of_the_readme_plays(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    saved_bot(shell.folder)
    said = shell.run(block("Write a bot in five minutes", "sh"))
    assert re.search(r"^ +0  mybot\.py +\d+ +[123] ", said, re.MULTILINE)
    assert "failed" not in said


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_what_is_uploaded_comes_onto_the_ladder(site: Site, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    saved_bot(shell.folder)
    commands = block("Upload it", "sh")
    assert "http://127.0.0.1:8000/" in commands
    said = shell.run(commands.replace("http://127.0.0.1:8000", site.url))
    assert '"name":"mybot"' in said or '"bot":"mybot"' in said

    def played() -> bool:
        rows = site.api("ladders/deca-slayer-1/ratings/")["results"]
        mine = [row for row in rows if row["submission"]["bot"] == "mybot"]
        return bool(mine) and mine[0]["matches"] > 0

    until(played, "mybot has played on the ladder", within_s=300)


@pytest.mark.e2e
@pytest.mark.timeout(1800)
def test_demo_plays_its_season() -> None:
    """`demo --no-serve`: bots, brackets and matches are those of `demo`."""
    with started("demo", "--no-serve") as demo:
        assert demo.process.wait(1700) == 0, demo.said()
        *_, summary, stopping = demo.said().splitlines()
        assert children.marked(demo.data) == []
    assert re.fullmatch(
        r"Played: \d+ matches, 3 seasons, 3 brackets, \d+ bots checked, in \d+ s\.", summary
    )
    assert stopping.startswith("Stopping")


@pytest.mark.parametrize("page", ["README.md", "deploy/README.md"])
def test_commands_that_are_named_are_there(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    known = get_commands()
    named = re.findall(r"manage\.py ([a-z_]+)((?: +--[a-z-]+)*)", text)
    named += re.findall(r"`(demo|up|test)((?: +--[a-z-]+)*)`", text)
    assert named
    for command, options in named:
        assert command in {*known, "help"}, command
        if options:
            parser = load_command_class(known[command], command).create_parser("manage.py", command)
            for option in shlex.split(options):
                assert option in parser._option_string_actions


@pytest.mark.parametrize("page", ["README.md", "deploy/README.md"])
def test_files_that_are_named_are_there(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r'(?:src|srcset)="([^":]+)"', text)
    base = (CHECKOUT / page).parent
    assert [name for name in targets if not (base / name).exists()] == []
    # Paths in the text count from the top, where the folder is one of ours.
    paths = [path for path in re.findall(r"`(\w+/[\w./-]+)`", text) if path.split("/")[0] in ROOMS]
    assert [path for path in paths if not (CHECKOUT / path).exists()] == []
