"""Every variable of the environment that the service reads: one table.

`deploy/settings.py` reads through it, the table in `deploy/README.md` and `.env.example` are
written from it (`python3 manage.py settings --write`), and a test holds them together.
Standard library only: it is read before there are any settings.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

TIERS = ("landlock", "ns", "ns+cgroup")  # of engine/sandbox/tiers.py, without "none"


class WrongValues(ValueError):
    """Variables whose values cannot be used; a line for each says which and what would be right."""


@dataclass(frozen=True)
class Variable:
    """One variable: what it may be, and what it is when nobody sets it.

    `kind` is a key of KINDS. `least` and `most` bound a whole number. The value of a `secret` one
    is never shown.
    """

    name: str
    kind: str
    default: str
    text: str
    unit: str = ""
    group: str = ""
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    secret: bool = False
    example: str = ""

    def right(self) -> str:
        """What would be a right value, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        words = KINDS[self.kind][1]
        if self.least is not None and self.most is not None:
            words += f" from {self.least} to {self.most}"
        elif self.least is not None:
            words += f" of {self.least} or more"
        return words

    def read(self, environ: Mapping[str, str]) -> Any:
        """The value as a Python object; ValueError, without the value, when it cannot be used."""
        text = environ.get(self.name, "").strip()
        value = KINDS[self.kind][0](text or self.default)
        if self.choices and value not in self.choices:
            raise ValueError
        if (self.least is not None and value < self.least) or (
            self.most is not None and value > self.most
        ):
            raise ValueError
        return value


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", text):
        raise ValueError
    return int(text)


def _yes(text: str) -> bool:
    if text.lower() not in ("0", "false", "no", "1", "true", "yes"):
        raise ValueError
    return text.lower() in ("1", "true", "yes")


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _origins(text: str) -> list[str]:
    found = _list(text)
    for origin in found:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path:
            raise ValueError
    return found


def _address(text: str) -> str:
    parts = urlsplit(text)
    _ = parts.port
    if text and (parts.scheme not in ("http", "https") or not parts.hostname or parts.query):
        raise ValueError
    return text


def _rate(text: str) -> str:
    if not re.fullmatch(r"[1-9][0-9]*/(s|sec|m|min|h|hour|d|day)", text):
        raise ValueError
    return text


def _database(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        raise ValueError
    _ = parts.port  # ValueError when it is no number
    return text


def _broker(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise ValueError
    if not (parts.path if parts.scheme == "unix" else parts.hostname):
        raise ValueError
    _ = parts.port
    return text


KINDS: dict[str, tuple[Callable[[str], Any], str]] = {
    "text": (str, "text"),
    "path": (str, "a folder"),
    "whole number": (_whole, "a whole number"),
    "0 or 1": (_yes, "1 or 0"),
    "list": (_list, "names with commas between them"),
    "origins": (_origins, "origins like https://league.example, with commas between them"),
    "address": (_address, "an address like https://store.example:9000"),
    "rate": (_rate, "a number of requests for a time: 300/min, 10/s, 5000/hour"),
    "PostgreSQL URL": (
        _database,
        "postgresql://user:password@host:5432/name, or with ?host=/folder/of/the/socket",
    ),
    "Redis URL": (_broker, "redis://host:6379/0, rediss://… or unix:///path/of/socket?db=0"),
}
"""By kind: what makes a value of a text, or raises ValueError; and what is right, in words."""


def _v(name: str, kind: str, default: str, text: str, **more: Any) -> Variable:
    return Variable(name, kind, default, text, **more)


_NUMBER = "whole number"
GROUPS: dict[str, tuple[Variable, ...]] = {
    "Servers and site": (
        _v("DATABASE_URL", "PostgreSQL URL", "", "The database, PostgreSQL 15 or newer. Not set: "
           "one is started on this machine", secret=True,
           example="postgresql://slayer:password@db.example:5432/slayer"),
        _v("REDIS_URL", "Redis URL", "", "The broker and cache, Valkey or Redis 6.2 or newer. Not "
           "set: one is started on this machine", secret=True,
           example="redis://broker.example:6379/0"),
        _v("SECRET_KEY", "text", "", "Signs sessions; 50 random characters. Without `DATABASE_URL` "
           "it is made and kept in the data folder; with it, it has to be set", secret=True),
        _v("SLAYER_ALLOWED_HOSTS", "list", "", "Names of the site. Like the key: this machine's, "
           "or to be set", example="league.example"),
        _v("SLAYER_URL", "address", "", "The site's address, for the links in mails",
           example="https://league.example"),
        _v("SLAYER_TRUSTED_ORIGINS", "origins", "", "Origins that may post forms",
           example="https://league.example"),
        _v("SLAYER_HTTPS", "0 or 1", "0", "1 behind a proxy that ends TLS: cookies are sent over "
           "HTTPS only"),
        _v("SLAYER_PROXIES", _NUMBER, "0", "Proxies in front that may name the caller's address "
           "for limits; 0: the address that connects counts", least=0, most=10),
        _v("SLAYER_DATA_DIR", "path", "", "The data folder. Not set: `.data` beside `manage.py`; "
           "see Data", example="/var/lib/slayer"),
        _v("SLAYER_DEBUG", "0 or 1", "0", "1: error pages with details, for development only"),
        _v("SLAYER_NO_VENV", "0 or 1", "0", "1: the interpreter has all packages, no `.venv` is "
           "made"),
        _v("SLAYER_RATE_ANONYMOUS", "rate", "300/min", "Requests to the API from one address"),
        _v("SLAYER_RATE_USER", "rate", "1200/min", "Requests to the API from one user"),
    ),
    "Watching": (
        _v("SLAYER_LOG_FORMAT", "text", "plain", "json: one JSON object a line, with the ids of "
           "request, task, match, attempt and worker", choices=("plain", "json")),
        _v("SLAYER_LOG_LEVEL", "text", "INFO", "The least important lines that are written",
           choices=("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")),
        _v("SLAYER_METRICS_TOKEN", "text", "", "Who shows it as `Authorization: Bearer …` may read "
           "`/metrics`. Not set: this machine alone", secret=True),
        _v("SLAYER_WAITING_S", _NUMBER, "900", "A match that waits longer makes the service "
           "unready: no worker takes it", unit="s", least=1),
    ),
    "Mail": (
        _v("SLAYER_SMTP_HOST", "text", "", "The mail server for notices. Not set: they are "
           "written to the log", example="smtp.example"),
        _v("SLAYER_SMTP_PORT", _NUMBER, "587", "Its port", least=1, most=65535),
        _v("SLAYER_SMTP_USER", "text", "", "Its user"),
        _v("SLAYER_SMTP_PASSWORD", "text", "", "The user's password", secret=True),
        _v("SLAYER_SMTP_TLS", "0 or 1", "1", "1: STARTTLS"),
        _v("SLAYER_MAIL_FROM", "text", "Slayer League <noreply@localhost>", "The sender"),
    ),
    "Quotas": (
        _v("SLAYER_UPLOADS_PER_DAY", _NUMBER, "10", "Uploads to one bot", unit="a day", least=0),
        _v("SLAYER_ACTIVE_BOTS_PER_GAME", _NUMBER, "5", "Active bots of one player", least=0),
        _v("SLAYER_BOTS_PER_PLAYER", _NUMBER, "60", "Bots of one player", least=0),
        _v("SLAYER_PLAYER_STORAGE_MB", _NUMBER, "500", "Packages of one player", unit="MiB",
           least=0),
        _v("SLAYER_TEST_MATCHES_PER_DAY", _NUMBER, "100", "Test matches of one player",
           unit="a day", least=0),
        _v("SLAYER_TEST_MATCHES_WAITING", _NUMBER, "5", "Of these at most, not over yet", least=1),
        _v("SLAYER_CHECK_MINUTES", _NUMBER, "10", "For the checks of a version", unit="minutes",
           least=1),
    ),
    "Private files": (
        _v("SLAYER_S3_BUCKET", "text", "", "Packages, replays and logs lie in this bucket of an "
           "S3-compatible store. Not set: in the data folder", example="slayer-files"),
        _v("SLAYER_S3_ENDPOINT", "address", "", "The store's address. Not set: Amazon's",
           example="https://s3.example"),
        _v("SLAYER_S3_REGION", "text", "us-east-1", "Its region, which signatures name"),
        _v("SLAYER_S3_ACCESS_KEY", "text", "", "The key. Not set: what the machine itself has",
           secret=True),
        _v("SLAYER_S3_SECRET_KEY", "text", "", "The key's secret", secret=True),
        _v("SLAYER_S3_PATH_STYLE", "0 or 1", "0", "1: the bucket stands in the path and not in the "
           "host's name, as most stores of one's own want it"),
        _v("SLAYER_S3_LINK_S", _NUMBER, "0", "0: the site sends packages itself; otherwise it "
           "leads to a signed link that is good for so long", unit="s", least=0, most=300),
        _v("SLAYER_STATIC_DIR", "path", "", "Style sheets and scripts, collected. Not set: "
           "`static` in the data folder", example="/srv/static"),
    ),
    "Workers": (
        _v("SLAYER_WORKER_PASSWORD", "text", "", "Password that `manage.py worker_role` gives the "
           "workers' database role", secret=True),
        _v("SLAYER_MIN_TIER", "text", "ns", "The weakest isolation of bots with which a worker "
           "takes work; below it, it ends with status 78", choices=TIERS),
        _v("SLAYER_SELF_TEST_S", _NUMBER, "300", "How often a worker attacks its own sandbox "
           "anew", unit="s", least=1),
        _v("SLAYER_LEASE_S", _NUMBER, "30", "A worker's lease of a match", unit="s", least=1),
        _v("SLAYER_RENEW_S", _NUMBER, "5", "How often it renews it; at most half of the lease",
           unit="s", least=1),
        _v("SLAYER_REAP_S", _NUMBER, "5", "How often lost attempts are looked for", unit="s",
           least=1),
        _v("SLAYER_REPUBLISH_S", _NUMBER, "15", "After how long the message of a match that waits "
           "may be taken for lost and is sent again", unit="s", least=1),
        _v("SLAYER_MATCHES_PER_MESSAGE", _NUMBER, "8", "Ladder matches that share a message. A "
           "worker plays as many of them at a time as take half a second and passes on the rest",
           least=1, most=100),
        _v("SLAYER_INFRASTRUCTURE_FAILURES", _NUMBER, "3", "After how many failures of machines a "
           "match is void", least=1),
    ),
}  # fmt: skip
VARIABLES: dict[str, Variable] = {
    variable.name: variable for group in GROUPS.values() for variable in group
}
# Set by one process of the installation for the others, never by people.
INTERNAL = frozenset({"SLAYER_RUN"})
# Commands that need neither database nor broker run without these being set.
NOT_SET = {
    "DATABASE_URL": "postgresql://slayer@localhost/slayer",
    "REDIS_URL": "redis://localhost:6379/0",
}


def read_all(environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The value of every variable, by name. WrongValues names all that cannot be used, at once."""
    values: dict[str, Any] = {}
    wrong: list[str] = []
    environ = {**NOT_SET, **{name: value for name, value in environ.items() if value}}
    for name, variable in VARIABLES.items():
        try:
            values[name] = variable.read(environ)
        except ValueError:
            shown = "the value it has" if variable.secret else repr(environ.get(name, ""))
            wrong.append(f"{name} must be {variable.right()}, not {shown}")
    if not wrong and 2 * values["SLAYER_RENEW_S"] > values["SLAYER_LEASE_S"]:
        wrong.append(
            f"SLAYER_RENEW_S must be at most half of SLAYER_LEASE_S ({values['SLAYER_LEASE_S']}), "
            f"not '{values['SLAYER_RENEW_S']}': a lease must outlive one renewal that was lost"
        )
    if wrong:
        raise WrongValues("\n".join(wrong))
    return values


def unknown(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Variables SLAYER_… that nothing reads, and the known one that is nearest ('' if none)."""
    found = {}
    for name in sorted(environ):
        if name.startswith("SLAYER_") and name not in VARIABLES and name not in INTERNAL:
            near = get_close_matches(name, VARIABLES, n=1, cutoff=0.8)
            found[name] = near[0] if near else ""
    return found


def markdown() -> str:
    """The tables of `deploy/README.md`."""
    lines: list[str] = []
    for group, variables in GROUPS.items():
        lines += [
            f"### {group}",
            "",
            "| variable | not set | what it does |",
            "| --- | --- | --- |",
        ]
        for variable in variables:
            default = f"`{variable.default}`" if variable.default else "–"
            unit = f" {variable.unit}" if variable.unit and variable.default else ""
            end = ""
            if variable.choices:
                end = f" ({', '.join(f'`{choice}`' for choice in variable.choices)})"
            elif variable.kind not in ("text", "path", _NUMBER, "0 or 1"):
                end = f" ({KINDS[variable.kind][1].replace('|', '/')})"
            lines.append(f"| `{variable.name}` | {default}{unit} | {variable.text}{end} |")
        lines.append("")
    return "\n".join(lines)


def dotenv() -> str:
    """The file `.env.example`: every variable, out of use, with its default or an example."""
    lines = [
        "# Settings of the service. Copy to .env and take the # away from what you set;",
        "# what is not set has the value shown, or where an example is shown, none.",
    ]
    for group, variables in GROUPS.items():
        lines += ["", f"## {group}"]
        for variable in variables:
            unit = f" ({variable.unit})" if variable.unit else ""
            choices = f" One of {', '.join(variable.choices)}." if variable.choices else ""
            example = " Example:" if variable.example and not variable.default else ""
            lines.append(f"# {variable.text.replace('`', '')}{unit}.{choices}{example}")
            lines.append(f"#{variable.name}={variable.default or variable.example}")
    return "\n".join(lines) + "\n"
