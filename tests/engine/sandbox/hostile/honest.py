"""What a bot needs that means well."""

from tests.engine.sandbox.hostile.case import Case

CASES: dict[str, Case] = {
    "honest_tools": Case(
        """
import asyncio, concurrent.futures, hashlib, math, random, select, socket, tempfile, threading
facts()
async def slept():
    await asyncio.sleep(0.01)
    return await asyncio.to_thread(lambda: 1)
def scratch():
    with tempfile.TemporaryFile() as file:
        file.write(b"x" * 10**6)
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    total = sum(pool.map(lambda number: number * number, range(100)))
one, other = socket.socketpair()
one.send(b"hello")
say([asyncio.run(slept()), total, other.recv(9).decode(), len(os.urandom(8)), sys.stdin.encoding,
     sys.stdout.isatty(), os.path.basename(os.getcwd()), sorted(os.listdir(".")), attempt(scratch)])
""",
        answers=[[1, 328350, "hello", 8, "utf-8", False, "bot", ["main.py"], "done"]],
        on={
            "landlock": {
                "answers": [[1, 328350, "hello", 8, "utf-8", False, "bot", ["main.py"], "ENOENT"]]
            }
        },
    ),
    "imports_beside_the_entry": Case(
        "import mine\nfacts()\nsay(mine.VALUE)",
        files={"mine.py": b"VALUE = 7\n"},
        answers=[7],
    ),
}
