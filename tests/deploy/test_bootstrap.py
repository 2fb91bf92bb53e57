"""Whether a command runs in the environment of the checkout, and what it says when it cannot."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy import bootstrap
from deploy.bootstrap import SERVICE, TESTS
from deploy.installation import CHECKOUT


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "deploy").mkdir()
    (tmp_path / bootstrap.LOCKS[SERVICE]).write_text("one==1\n")
    (tmp_path / bootstrap.LOCKS[TESTS]).write_text("one==1\ntwo==2\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "prefix", "/nowhere")
    return tmp_path


def environment(folder: Path, **stamps: str) -> Path:
    """A folder that looks like an environment with these stamps."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    for name, stamp in stamps.items():
        (folder / f"slayer-{name}.stamp").write_text(stamp)
    return folder


def test_no_environment_is_ready_in_a_fresh_checkout(checkout: Path) -> None:
    assert bootstrap.ready(str(checkout), SERVICE) is None


def test_an_environment_with_the_stamp_of_the_lock_is_ready(checkout: Path) -> None:
    stamp = bootstrap.stamp_of(str(checkout), SERVICE)
    venv = environment(checkout / ".venv", service=stamp)
    assert bootstrap.ready(str(checkout), SERVICE) == str(venv)
    assert bootstrap.ready(str(checkout), TESTS) is None


def test_a_half_made_environment_is_not_ready(checkout: Path) -> None:
    environment(checkout / ".venv")
    assert bootstrap.ready(str(checkout), SERVICE) is None


def test_a_changed_lock_makes_the_environment_stale(checkout: Path) -> None:
    environment(checkout / ".venv", service=bootstrap.stamp_of(str(checkout), SERVICE))
    (checkout / bootstrap.LOCKS[SERVICE]).write_text("one==1.1\n")
    assert bootstrap.ready(str(checkout), SERVICE) is None


def test_another_python_makes_the_environment_stale(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment(checkout / ".venv", service=bootstrap.stamp_of(str(checkout), SERVICE))
    monkeypatch.setattr(sys, "version", "3.13.1 (main)")
    assert bootstrap.ready(str(checkout), SERVICE) is None


def test_an_environment_whose_python_has_gone_is_not_ready(checkout: Path) -> None:
    venv = environment(checkout / ".venv", service=bootstrap.stamp_of(str(checkout), SERVICE))
    (venv / "bin" / "python").unlink()
    (venv / "bin" / "python").symlink_to("/nowhere/python3")
    assert bootstrap.ready(str(checkout), SERVICE) is None


def test_the_environment_of_a_read_only_checkout_lies_in_the_cache(checkout: Path) -> None:
    stamp = bootstrap.stamp_of(str(checkout), SERVICE)
    name = bootstrap.named_after(str(checkout))
    venv = environment(checkout / "cache/slayer-league" / name / ".venv", service=stamp)
    assert bootstrap.ready(str(checkout), SERVICE) == str(venv)


def test_an_interpreter_that_carries_the_stamp_is_kept(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = bootstrap.stamp_of(str(checkout), SERVICE)
    own = environment(checkout / "elsewhere", service=stamp)
    environment(checkout / ".venv", service=stamp)
    monkeypatch.setattr(sys, "prefix", str(own))
    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("the interpreter was replaced"))
    monkeypatch.delenv("SLAYER_NO_VENV", raising=False)
    bootstrap.enter(str(checkout), ["migrate"])


def test_another_interpreter_is_replaced_with_its_options_and_arguments(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv = environment(checkout / ".venv", service=bootstrap.stamp_of(str(checkout), SERVICE))
    calls: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(sys, "prefix", str(checkout))
    monkeypatch.setattr(sys, "orig_argv", ["python3", "-W", "error", "manage.py", "migrate"])
    monkeypatch.setattr(os, "execv", lambda *call: calls.append(call))
    monkeypatch.delenv("SLAYER_NO_VENV", raising=False)
    bootstrap.enter(str(checkout), ["migrate"])
    python = str(venv / "bin/python")
    assert calls == [(python, [python, "-W", "error", "manage.py", "migrate"])]


def test_an_interpreter_with_all_packages_is_not_replaced(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLAYER_NO_VENV", "1")
    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("the interpreter was replaced"))
    bootstrap.enter(str(checkout), ["test"])


def test_two_checkouts_of_one_name_have_different_folders() -> None:
    names = {bootstrap.named_after(path) for path in ("/a/main", "/b/main")}
    assert len(names) == 2
    assert all(name.startswith("main-") for name in names)


def test_the_lock_of_the_tests_holds_every_pin_of_the_service() -> None:
    pins = {
        wanted: {
            line for line in (CHECKOUT / lock).read_text().splitlines() if not line.startswith(" ")
        }
        for wanted, lock in bootstrap.LOCKS.items()
    }
    assert pins[SERVICE] <= pins[TESTS]


def test_the_locks_name_hashes_and_no_index() -> None:
    for lock in bootstrap.LOCKS.values():
        text = (CHECKOUT / lock).read_text()
        assert text.count("--hash=sha256:") >= text.count("==")
        assert "://" not in text
        assert "--index" not in text


def test_manage_py_can_be_read_by_an_old_python() -> None:
    ast.parse((CHECKOUT / "manage.py").read_text(), feature_version=(3, 6))


def as_old_python(path: str) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys, runpy; sys.version_info = (3, 6, 9, 'final', 0); "
        "sys.argv = ['manage.py', 'demo']; runpy.run_path('manage.py', run_name='__main__')"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=CHECKOUT,
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_old_python_says_what_is_needed_and_how_to_get_it(tmp_path: Path) -> None:
    done = as_old_python(str(tmp_path))
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; this is Python 3.6" in done.stderr
    assert "apt-get install python3" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_old_python_names_the_newer_one_that_the_machine_has(tmp_path: Path) -> None:
    (tmp_path / "python3.12").symlink_to("/bin/true")
    done = as_old_python(str(tmp_path))
    assert "Run: python3.12 manage.py demo" in done.stderr


def test_nothing_but_the_standard_library_is_loaded_before_the_environment_is_there() -> None:
    code = (
        "import sys, runpy; before = set(sys.modules); from deploy import bootstrap, install; "
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(CHECKOUT)!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert set(loaded) <= {"deploy"} | set(sys.stdlib_module_names)
