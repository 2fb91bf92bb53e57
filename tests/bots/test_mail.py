"""Notices by e-mail, sent to a mail server that listens on this machine."""

import socketserver
import threading
from email import message_from_bytes, policy

import pytest

from bots import accounts, mail
from bots.faults import UserFault
from bots.models import Notice
from tests.builders import make_player

pytestmark = [pytest.mark.django_db, pytest.mark.db]


class OneClient(socketserver.StreamRequestHandler):
    """As much of SMTP (RFC 5321) as a client needs that sends a message."""

    def handle(self):
        self.say("220 ready")
        while line := self.rfile.readline().decode().strip():
            verb = line.split(":")[0].split()[0].upper()
            if verb == "QUIT":
                return self.say("221 bye")
            if verb == "RCPT" and any(each in line for each in self.server.refused):
                self.say("550 nobody of that name here")
            elif verb == "DATA":
                self.say("354 go on")
                self.server.taken.append(self.message())
                self.say("250 taken")
            else:
                self.say("250 well")
        return None

    def message(self):
        lines = []
        while (line := self.rfile.readline().rstrip(b"\r\n")) != b".":
            lines.append(line.removeprefix(b"."))
        return message_from_bytes(b"\n".join(lines), policy=policy.default)

    def say(self, text):
        self.wfile.write(f"{text}\r\n".encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, address):
        super().__init__(address, OneClient)
        self.taken = []
        self.refused = []


@pytest.fixture
def server(settings):
    with Server(("127.0.0.1", 0)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address
        settings.EMAIL_USE_TLS = False
        settings.SITE_URL = "https://league.example"
        yield server
        server.shutdown()


def test_a_notice_goes_to_who_wishes_it_and_only_once(server):
    user, player = make_player()
    accounts.notify(player, kind="rejected", text="Before the wish", url="/submissions/1/")
    mail.wish(user=user, by_mail=True)
    accounts.notify(player, kind="bracket-paused", text="Round 2 of été", url="/brackets/cup/")
    assert mail.send_due() == 1
    assert mail.send_due() == 0
    [message] = server.taken
    assert message["To"] == user.email
    assert message["Subject"] == "Slayer League: bracket paused"
    text = message.get_content()
    assert text.startswith("Round 2 of été\nhttps://league.example/brackets/cup/\n")
    assert "https://league.example/account/" in text
    # On the site both are there.
    assert Notice.objects.filter(user=user).count() == 2


def test_nobody_gets_mail_who_does_not_wish_it_any_more(server):
    user, player = make_player()
    accounts.notify(player, kind="rejected", text="Never asked")
    assert mail.send_due() == 0
    mail.wish(user=user, by_mail=True)
    accounts.notify(player, kind="rejected", text="Due")
    mail.wish(user=user, by_mail=False)
    assert mail.send_due() == 0
    assert server.taken == []


def test_while_the_server_is_away_notices_stay_due(server, settings):
    user, player = make_player()
    mail.wish(user=user, by_mail=True)
    accounts.notify(player, kind="rejected", text="First")
    accounts.notify(player, kind="rejected", text="Second")
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 1  # nobody listens there
    assert mail.send_due() == 0
    settings.EMAIL_PORT = port
    assert mail.send_due() == 2
    assert [message.get_content().split("\n")[0] for message in server.taken] == ["First", "Second"]


def test_an_address_that_is_refused_holds_up_nobody(server):
    gone, gone_player = make_player()
    user, player = make_player()
    server.refused.append(gone.email)
    for each in (gone, user):
        mail.wish(user=each, by_mail=True)
    accounts.notify(gone_player, player, kind="rejected", text="For both")
    assert mail.send_due() == 1
    assert [message["To"] for message in server.taken] == [user.email]
    assert mail.send_due() == 0


def test_without_a_mail_server_the_wish_is_refused():
    user, _ = make_player()
    with pytest.raises(UserFault, match="has no mail server"):
        mail.wish(user=user, by_mail=True)


def test_the_account_page_asks_where_there_is_a_server(server, client):
    user, player = make_player()
    client.force_login(user)
    assert "Send them by e-mail too" in client.get("/account/").content.decode()
    client.post("/account/notices/", {"by_mail": "yes"})
    accounts.notify(player, kind="rejected", text="One")
    assert mail.send_due() == 1
    page = client.get("/account/").content.decode()
    assert f"also go to {user.email}" in page
    client.post("/account/notices/", {"by_mail": "no"})
    user.refresh_from_db()
    assert not user.notices_by_mail


def test_the_account_page_is_silent_where_there_is_none(client):
    user, _ = make_player()
    client.force_login(user)
    assert "by e-mail" not in client.get("/account/").content.decode()
