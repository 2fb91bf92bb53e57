"""Bots that write too much, too little, or not where they should, and bots that end."""

from engine.faults import escape
from engine.sandbox import Limits
from tests.engine.sandbox.hostile.case import Case

CASES: dict[str, Case] = {
    "close_everything": Case(
        "facts()\nos.closerange(0, 64)\ntime.sleep(1000)",
        reason="exit",
        says="closed its standard output",
    ),
    "output_to_nowhere": Case(
        "facts()\nos.dup2(os.open('/dev/null', os.O_WRONLY), 1)\nsay('lost')\ntime.sleep(1000)",
        reason="exit",
        says="closed its standard output",
    ),
    "pipes_that_do_not_block": Case(
        "for fd in (0, 1, 2): os.set_blocking(fd, False)\nimport select\n"
        "select.select([0], [], [])\nfacts()\nsay('played')\nselect.select([0], [], [])",
        answers=["played"],
    ),
    "packets_on_standard_output": Case(
        # Its pipe then keeps writes apart, and drops what one read does not take.
        "import fcntl\nfcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) | os.O_DIRECT)\n"
        "while facts() is not None: os.write(1, b'1'); os.write(1, b'2\\n')",
        asks=2,
        answers=[12, 12],
    ),
    "flood_lines": Case("facts()\nwhile True: print('x' * 100)", reason="flood"),
    "flood_no_newline": Case(
        "facts()\nwhile True: sys.stdout.write('x' * 4096)",
        reason="flood",
        says="65536",
        holds=lambda outcome: outcome.failure.received == b"x" * 200,
    ),
    "huge_json": Case("facts()\nsay('x' * 2**20)", reason="flood", says="65536"),
    "longest_line": Case("facts()\nsay('x' * 65534)", answers=["x" * 65534]),
    "one_byte_too_long": Case("facts()\nsay('x' * 65535)", reason="flood", says="65536"),
    "two_lines": Case(
        "facts()\nos.write(1, b'1\\n2\\n')\ntime.sleep(9)", reason="flood", says="one line"
    ),
    "much_output_over_the_play": Case(
        "while facts() is not None: say('x' * 1000)",
        asks=20,
        limits=Limits(play_bytes=10_000),
        reason="flood",
        says="10000 bytes in one play",
        holds=lambda outcome: len(outcome.answers) == 9,
    ),
    "stderr_flood": Case(
        "facts()\nfor _ in range(160): sys.stderr.write('e' * 65536)\nsay('played')",
        answers=["played"],
        holds=lambda outcome: outcome.remains.stderr == b"e" * 65536 and outcome.remains.stderr_cut,
    ),
    "close_stdout": Case(
        "facts()\nos.close(1)\ntime.sleep(1000)", reason="exit", says="closed its standard output"
    ),
    "close_stdout_and_loop": Case(
        "facts()\nos.close(1)\nwhile True: pass",
        cpu_ms=20_000,
        reason="exit",
        says="closed its standard output",
    ),
    "stdout_kept_elsewhere": Case(
        # A common trick, so that stray prints do not break the protocol.
        "kept = os.dup(1)\nos.dup2(2, 1)\nfacts()\ntime.sleep(0.4)\nprint('stray', flush=True)\n"
        "os.write(kept, b'1\\n')",
        answers=[1],
        holds=lambda outcome: outcome.remains.stderr == b"stray\n",
    ),
    "close_stdin": Case("facts()\nos.close(0)\nsay('played')\ntime.sleep(9)", answers=["played"]),
    "exit_silently": Case("facts()\nos._exit(0)", reason="exit", exit_code=0, says="code 0"),
    "answer_and_exit": Case(
        "facts()\nsay('bye')\nos._exit(3)",
        asks=2,
        answers=["bye"],
        reason="exit",
        exit_code=3,
        says="code 3",
    ),
    "traceback": Case(
        "facts()\nraise KeyError('nothing here')",
        reason="exit",
        exit_code=1,
        holds=lambda outcome: b"KeyError: 'nothing here'" in outcome.remains.stderr,
    ),
    "segfault": Case(
        "import ctypes\nfacts()\nctypes.string_at(0)", reason="killed", signal=11, says="SIGSEGV"
    ),
    "abort": Case(
        "facts()\nos.abort()",
        reason="killed",
        signal=11,  # PID 1 ignores SIGABRT
        on={"landlock": {"signal": 6}},
    ),
    "kill_itself": Case(
        "facts()\nos.kill(os.getpid(), 9)\nsay('plays on')",
        answers=["plays on"],  # PID 1 again
        on={"landlock": {"answers": [], "reason": "killed", "signal": 9}},
    ),
    "stderr_is_worker_log": Case(
        "facts()\nos.write(2, b'\\x1b[2J\\x07\\xff\\n')\nsay('played')",
        answers=["played"],
        holds=lambda outcome: (
            outcome.remains.stderr == b"\x1b[2J\x07\xff\n"
            and escape(outcome.remains.stderr) == r"\x1b[2J\x07\xff\n"
        ),
    ),
}
