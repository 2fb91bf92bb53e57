"""Runs the `manage.py` commands of a page, in this process and its database."""

import shlex
from io import StringIO
from string import Template

from django.core.management import call_command


def run(block: str, **variables: str) -> list[str]:
    """Run each command of a block, all of which must be ours; what each prints."""
    said = []
    for line in block.replace("\\\n", " ").splitlines():
        python, manage, *words = shlex.split(Template(line).substitute(variables))
        assert (python, manage) == ("python3", "manage.py"), line
        out = StringIO()
        call_command(*words, stdout=out)
        said.append(out.getvalue().strip())
    return said
