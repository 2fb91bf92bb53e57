"""The address where the web server listens: taken before anything else is started."""

import errno
import socket

FIRST_PORT = 8000
TRIED = 20


class CannotListen(Exception):
    """The address cannot be had; the message says why and what helps."""


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket on `host` and `port`; without a port, on the first free one from 8000.

    The web server inherits the socket, so nobody can take the port between its restarts.
    """
    if port is not None:
        return _bind(host, port)
    for candidate in range(FIRST_PORT, FIRST_PORT + TRIED):
        try:
            return _bind(host, candidate)
        except PortTaken:
            continue
    raise CannotListen(
        f"the ports {FIRST_PORT} to {FIRST_PORT + TRIED - 1} of {host} are all taken. "
        "What helps: --port NUMBER"
    )


class PortTaken(CannotListen):
    """Another program listens there."""


def address(listening: socket.socket) -> str:
    """The address as a URL."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _bind(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise CannotListen(f"there is no port {port}: ports go from 1 to 65535.")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise CannotListen(
            f"{host} is no address of a machine ({error.strerror}). What helps: --host 127.0.0.1"
        ) from None
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.listen(256)
    except OSError as error:
        listening.close()
        if isinstance(error, PermissionError):
            raise CannotListen(
                f"port {port} may be used by root alone. What helps: --port 8000"
            ) from None

        if error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"another program listens at {host}:{port}. What helps: another --port, or none, "
                f"which takes the first free one from {FIRST_PORT}."
            ) from None
        raise CannotListen(f"{host}:{port}: {error.strerror}.") from None
    return listening
