"""Why a bot failed, in words that the record, the API and the pages share."""

REASONS = ("time", "wall", "illegal", "form", "flood", "killed", "exit", "start")
"""The reasons for which a bot fails.

time     used more CPU time than its limit
wall     gave no answer within the wall backstop
illegal  answered with an action that is not legal
form     wrote a line that breaks the protocol
flood    wrote too much, too long a line, more than one line for a request, or unasked
killed   ended by a signal or by a limit of the sandbox
exit     ended by itself, or closed its standard output
start    never got ready for another reason, for example because it cannot be executed
"""


def escape(data: bytes, *, lines: bool = False) -> str:
    """Show bytes that a bot wrote as printable text: bytes that are not UTF-8 and characters that
    do not print (control, direction and other format characters) become backslash escapes.

    With `lines` newline and tab stay, for logs of several lines. The result is safe for terminals
    and logs; as HTML it still needs the usual quoting.
    """
    kept = "\n\t" if lines else ""
    return "".join(
        char if char.isprintable() or char in kept else ascii(char)[1:-1]
        for char in data.decode("utf-8", "backslashreplace")
    )
