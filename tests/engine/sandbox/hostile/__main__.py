"""Play cases on one back end and print what went wrong."""

import json
import sys

from engine.sandbox import isolated
from tests.engine.sandbox.hostile import CASES, run


def main() -> None:
    back_end, *names = sys.argv[1:]
    with isolated(minimum="landlock", name=back_end) as sandbox:
        print(json.dumps({name: run(sandbox, name) for name in names or CASES}))


if __name__ == "__main__":
    main()
