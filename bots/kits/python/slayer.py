"""The Slayer League SDK for Python: one file, standard library only. Keep it beside your bot.

    from slayer import run

    def choose(observation, legal_actions, info):
        return legal_actions[0]                 # or: return action, "a note for me"

    run(choose)

`observation` is what your seat may know (its fields are on the game's page), `legal_actions` the
strings you may answer with. `info` has all of the start message (game, edition, player, players,
options, random_seed, time) and of the current one (events, bank_ms, previous_ms).

What you print goes to your log, not to the referee. The module `random` is seeded before your
first decision, so the same play can be repeated.
"""

import json
import random
import sys


def run(choose):
    """Play until the referee ends the play or hangs up."""
    lines, to_referee = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # print() is for the log: one stray line would break the protocol

    def send(message):
        to_referee.write(json.dumps(message).encode() + b"\n")
        to_referee.flush()

    info = {}
    for line in lines:
        message = json.loads(line)
        kind = message.pop("type")
        if kind == "start":
            info = message
            random.seed(info["random_seed"])
            send({"type": "ready"})
        elif kind == "decide":
            request = message.pop("id")
            observation, legal_actions = message.pop("observation"), message.pop("legal_actions")
            info.update(message)
            answer = choose(observation, legal_actions, info)
            action, note = answer if isinstance(answer, tuple) else (answer, None)
            send({"id": request, "action": action} | ({"note": note[:200]} if note else {}))
        elif kind == "end":
            return
