"""Asks gacrux, another program for tournaments, about a report of ours."""

import json
import sys


def ask(checker, file, monkeypatch, *arguments):
    """The checker's own result for a file, as its command line gives it."""
    answer = file.with_suffix(".json")
    command = ["gacrux", "-i", str(file), "-o", str(answer), "-b", "utf-8", *arguments]
    monkeypatch.setattr(sys, "argv", command)
    checker().common_main()
    return json.loads(answer.read_text())
