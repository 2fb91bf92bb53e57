"""Every variable that the code reads is in the table of deploy/README.md, and no other is."""

import re

from deploy.installation import CHECKOUT

# Set by one process of the installation for the others, never by people.
INTERNAL = {"SLAYER_RUN"}


def test_the_table_of_variables_is_whole() -> None:
    read = set()
    for room in ("deploy", "api", "tournaments", "bots", "engine"):
        for file in (CHECKOUT / room).rglob("*.py"):
            read |= set(re.findall(r"[\"'](SLAYER_[A-Z_]+)[\"']", file.read_text()))
    table = (CHECKOUT / "deploy/README.md").read_text().partition("## Variables")[2]
    told = set(re.findall(r"`(SLAYER_[A-Z_]+)`", table.partition("\n## ")[0]))
    assert told == read - INTERNAL
