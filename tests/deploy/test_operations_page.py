"""What deploy/README.md names is there: commands, modules, files."""

import re
from importlib.util import find_spec

from django.core.management import get_commands

from deploy.installation import CHECKOUT

PAGE = (CHECKOUT / "deploy/README.md").read_text()


def test_its_commands_are_commands() -> None:
    named = set(re.findall(r"manage\.py ([a-z_]+)", PAGE))
    assert {"up", "worker_role", "sweep_files", "settings"} <= named
    assert named <= {*get_commands(), "help"}
    for module in re.findall(r"python3? -m ([a-z_.]+)", PAGE):
        assert find_spec(module.rstrip(".")), module


def test_its_files_are_there() -> None:
    pattern = r"`((?:deploy|base|overlays|kubernetes|prometheus|grafana|object-store)/[\w./-]+)`"
    named = set(re.findall(pattern, PAGE)) - {"deploy/.env"}
    assert len(named) > 8
    for name in named:
        places = [CHECKOUT, CHECKOUT / "deploy", CHECKOUT / "deploy/kubernetes"]
        assert any((place / name).exists() for place in places), name
