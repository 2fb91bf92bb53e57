"""A socket between clients and a server that can fail as networks do: the link of the suite.

It listens on a Unix socket and passes bytes to the server's. Connections can be cut, refused, or
held, and an answer can be lost just after a commit has reached the database.
"""

import selectors
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_PIECE = 1 << 16


@dataclass(eq=False)
class Pair:
    """One client's connection, and ours to the server for it."""

    client: socket.socket
    server: socket.socket
    sent: bytes = b""  # in this transaction, while an answer is to be lost
    held: bytes = b""  # what is kept back
    doomed: bool = False  # its next answer from the server is lost, and the connection with it
    back: dict[socket.socket, socket.socket] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.back = {self.client: self.server, self.server: self.client}


class Proxy:
    """Passes on what clients of `listening` and the server at `target` have to say."""

    def __init__(self, listening: Path, target: Path) -> None:
        self.listening, self.target = listening, target
        self.lost_answers = 0
        self._lose_after: bytes | None = None
        self._hold_at: bytes | None = None
        self._pairs: list[Pair] = []
        self._lock = threading.RLock()
        self._selector = selectors.DefaultSelector()
        self._listener: socket.socket | None = None
        self._wake, self._waker = socket.socketpair()
        self._selector.register(self._wake, selectors.EVENT_READ)
        self._over = False
        self.open()
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"proxy {listening}")
        self._thread.start()

    # ---- what can go wrong

    def open(self) -> None:
        """Take connections (again)."""
        with self._lock:
            if self._listener is None:
                self.listening.unlink(missing_ok=True)
                self._listener = socket.socket(socket.AF_UNIX)
                self._listener.bind(str(self.listening))
                self._listener.listen(64)
                self._listener.setblocking(False)
                self._selector.register(self._listener, selectors.EVENT_READ)
        self._waker.send(b".")

    def cut(self) -> int:
        """Break all connections off at once; new ones are taken. Returns how many there were."""
        with self._lock:
            pairs = list(self._pairs)
            for pair in pairs:
                self._close(pair)
        self._waker.send(b".")
        return len(pairs)

    def refuse(self) -> None:
        """Break all connections off and refuse new ones, until `open`."""
        with self._lock:
            if self._listener is not None:
                self._selector.unregister(self._listener)
                self._listener.close()
                self.listening.unlink(missing_ok=True)
                self._listener = None
        self.cut()

    def lose_answer_after(self, statement: bytes) -> None:
        """Once: when a connection that has sent the statement sends COMMIT, let that through, and
        break the connection off instead of passing the answer on."""
        with self._lock:
            for pair in self._pairs:
                pair.sent = b""
            self._lose_after = statement

    def hold_at(self, statement: bytes) -> None:
        """Once: keep back what a connection sends from this statement on, until `release`."""
        with self._lock:
            self._hold_at = statement

    def held(self) -> bool:
        """Whether a connection is being held."""
        with self._lock:
            return any(pair.held for pair in self._pairs)

    def release(self) -> None:
        """Pass on what was held."""
        with self._lock:
            self._hold_at = None
            for pair in [pair for pair in self._pairs if pair.held]:
                held, pair.held = pair.held, b""
                self._selector.register(pair.client, selectors.EVENT_READ, pair)
                self._send(pair, pair.server, held)
        self._waker.send(b".")

    def drop_held(self) -> None:
        """Break off the connections that are held; what they sent never arrives."""
        with self._lock:
            self._hold_at = None
            for pair in [pair for pair in self._pairs if pair.held]:
                self._close(pair)
        self._waker.send(b".")

    def close(self) -> None:
        """End it all."""
        self._over = True
        self.refuse()
        self._thread.join()
        self._selector.close()
        self._wake.close()
        self._waker.close()

    # ---- its thread

    def _run(self) -> None:
        while not self._over:
            for key, _ in self._selector.select():
                with self._lock:
                    if key.fileobj is self._wake:
                        self._wake.recv(_PIECE)
                    elif key.fileobj is self._listener:
                        self._accept()
                    elif isinstance(key.data, Pair) and key.data in self._pairs:
                        self._pass_on(key.data, key.fileobj)

    def _accept(self) -> None:
        assert self._listener is not None
        try:
            client, _ = self._listener.accept()
        except OSError:
            return
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(str(self.target))
        except OSError:  # the server is away
            client.close()
            server.close()
            return
        pair = Pair(client, server)
        self._pairs.append(pair)
        self._selector.register(client, selectors.EVENT_READ, pair)
        self._selector.register(server, selectors.EVENT_READ, pair)

    def _pass_on(self, pair: Pair, source: socket.socket) -> None:
        try:
            data = source.recv(_PIECE)
        except OSError:
            data = b""
        if not data:
            self._close(pair)
        elif source is pair.client:
            self._from_client(pair, data)
        elif pair.doomed:
            self.lost_answers += 1
            self._close(pair)
        else:
            self._send(pair, pair.client, data)

    def _from_client(self, pair: Pair, data: bytes) -> None:
        if self._hold_at is not None and self._hold_at in data:
            self._hold_at, pair.held = None, data
            self._selector.unregister(pair.client)
            return
        if self._lose_after is not None:
            pair.sent += data
            if b"COMMIT" in data and self._lose_after in pair.sent:
                self._lose_after = None
                pair.doomed = True
            if b"COMMIT" in data or b"ROLLBACK" in data:
                pair.sent = b""  # the next transaction begins
        self._send(pair, pair.server, data)

    def _send(self, pair: Pair, to: socket.socket, data: bytes) -> None:
        try:
            to.sendall(data)
        except OSError:
            self._close(pair)

    def _close(self, pair: Pair) -> None:
        self._pairs.remove(pair)
        for end in (pair.client, pair.server):
            with suppress(KeyError, ValueError):
                self._selector.unregister(end)
            end.close()
