"""Players that cost nothing, in the process of the referee, and the smallest game there is to play.

What is left when they play is what the service itself costs.
"""

from pathlib import Path

import msgspec

from engine import games
from engine.referee import SeatProgram
from engine.sandbox.api import Answer, Bot, Program, Remains, Sandbox
from tests.engine import scripted

TINY = scripted.GAME.name
NAME = "in-process"


class Message(msgspec.Struct):
    type: str
    id: str = ""
    legal_actions: list[str] = []


_read = msgspec.json.Decoder(Message).decode


class Player(Bot):
    """Takes the last legal action."""

    cpu_measured = True

    def ask(self, line, *, cpu_ms):
        message = _read(line)
        if message.type == "start":
            return Answer(b'{"type":"ready"}', 0.1, 0.1)
        action = message.legal_actions[-1]
        return Answer(f'{{"id":"{message.id}","action":"{action}"}}'.encode(), 0.1, 0.1)

    def tell(self, line):
        pass

    def stop(self):
        return Remains(0, None, 1.0, 1 << 20, b"", False)


class InProcess(Sandbox):
    name, isolated, refusals = NAME, False, {}
    languages, python_version = ("python",), "3"

    def start(self, program, limits, **_):
        return Player()

    def close(self):
        pass


NOWHERE = Program(Path("/nowhere"), "python", "main.py")


class Package:
    """Stands for an uploaded package, which is not unpacked since nobody runs it."""

    def __init__(self, submission):
        self.sha256 = submission.sha256

    def unpack(self, folder):
        return NOWHERE


def program(submission):
    return SeatProgram(NOWHERE, submission.sha256)


def register():
    """Make the tiny game one of the games."""
    games._registry().setdefault(TINY, {})[scripted.GAME.edition] = scripted.GAME
