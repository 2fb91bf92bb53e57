"""The address of the web server: taken, or refused with what helps."""

import socket
from contextlib import closing

import pytest

from deploy import listening
from deploy.listening import CannotListen, PortTaken, address, listen


@pytest.fixture
def taken() -> socket.socket:
    with closing(listen("127.0.0.1", 0)) as other:
        yield other


def port_of(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])


def test_a_named_port_that_is_taken_is_refused(taken: socket.socket) -> None:
    with pytest.raises(PortTaken, match="another program listens") as refused:
        listen("127.0.0.1", port_of(taken))
    assert f"127.0.0.1:{port_of(taken)}" in str(refused.value)
    assert "--port" in str(refused.value)


def test_without_a_port_the_next_free_one_is_taken(
    taken: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "FIRST_PORT", port_of(taken))
    with closing(listen("127.0.0.1", None)) as found:
        assert port_of(taken) < port_of(found) <= port_of(taken) + listening.TRIED


def test_all_ports_taken_is_said(taken: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "FIRST_PORT", port_of(taken))
    monkeypatch.setattr(listening, "TRIED", 1)
    with pytest.raises(CannotListen, match="all taken") as refused:
        listen("127.0.0.1", None)
    assert "--port NUMBER" in str(refused.value)


def test_the_address_is_a_url(taken: socket.socket) -> None:
    assert address(taken) == f"http://127.0.0.1:{port_of(taken)}/"


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_does_not_exist_is_refused(port: int) -> None:
    with pytest.raises(CannotListen, match=f"no port {port}"):
        listen("127.0.0.1", port)


def test_a_host_that_does_not_exist_is_refused() -> None:
    with pytest.raises(CannotListen, match="is no address"):
        listen("no such host", 8000)


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(CannotListen, match=r"192\.0\.2\.1"):
        listen("192.0.2.1", 0)  # TEST-NET-1, nobody's
