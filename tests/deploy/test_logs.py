"""Log lines: what they are about, and that nobody can forge one."""

import json
import logging
import logging.config
import re
import sys
import threading
from io import StringIO

import pytest

from deploy import logs
from tournaments import tracing


@pytest.fixture
def lines():
    """`lines("json")` is a logger and what it has written so far, line by line."""
    made = []

    def use(form):
        config = logs.config(form, "INFO")["formatters"][form]["()"]
        output = StringIO()
        handler = logging.StreamHandler(output)
        handler.setFormatter(getattr(logs, config.rpartition(".")[2])())
        handler.addFilter(logs.Ids())
        logger = logging.Logger("test.lines")  # noqa: LOG001 (one of this test alone)
        logger.addHandler(handler)
        made.append(handler)
        return logger, lambda: output.getvalue().splitlines()

    return use


def test_a_json_line_says_what_it_is_about(lines):
    logger, written = lines("json")
    with tracing.about(match=17, attempt=2), tracing.about(worker="w1@host"):
        logger.info("Played %d plays", 4)
    logger.info("Idle")
    first, second = map(json.loads, written())
    assert first["message"] == "Played 4 plays"
    assert (first["match"], first["attempt"], first["worker"]) == (17, 2, "w1@host")
    assert (first["level"], first["logger"]) == ("INFO", "test.lines")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", first["time"])
    assert not set(second) & set(tracing.FIELDS)


def test_what_the_caller_names_comes_before_what_holds_around(lines):
    logger, written = lines("json")
    with tracing.about(match=17):
        logger.warning("Lost", extra={"match": 18})
    assert json.loads(written()[0])["match"] == 18


def test_celerys_own_lines_name_their_task(lines):
    logger, written = lines("json")
    logger.info("received", extra={"data": {"id": "abc", "name": "tournaments.tasks.reap"}})
    line = json.loads(written()[0])
    assert (line["task"], line["task_name"]) == ("abc", "tournaments.tasks.reap")


FORGED = "bot\n2026-01-01T00:00:00 ERROR root all is lost\r\x1b[2J\u2028\u202e\x00\x85é"


@pytest.mark.parametrize("form", ["plain", "json"])
def test_no_text_begins_a_line_of_its_own_or_commands_a_terminal(lines, form):
    logger, written = lines(form)
    logger.info("Uploaded %s", FORGED, extra={"path": FORGED})
    [line] = written()
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u202e]", line)
    if form == "json":
        read = json.loads(line)
        assert read["message"] == f"Uploaded {FORGED}"
        assert read["path"] == FORGED
    else:
        assert r"bot\n2026-01-01T00:00:00 ERROR" in line
        assert line.isprintable()


@pytest.mark.parametrize("form", ["plain", "json"])
def test_the_text_of_an_error_forges_no_line_either(lines, form):
    logger, written = lines(form)
    try:
        raise ValueError(FORGED)
    except ValueError:
        logger.exception("Failed")
    first, *rest = written()
    assert "Failed" in first
    if form == "json":
        assert rest == []
        assert json.loads(first)["error"].startswith("Traceback")
    else:
        assert rest
        assert all(row.startswith("    ") and row.isprintable() for row in rest)


def test_a_thread_begins_without_ids():
    found = []
    with tracing.about(match=1):
        thread = threading.Thread(target=lambda: found.append(dict(tracing.current())))
        thread.start()
        thread.join()
        assert tracing.current() == {"match": 1}
    assert found == [{}]
    assert tracing.current() == {}


def test_the_configuration_is_one_that_python_takes():
    before = logging.getLogger().handlers[:], logging.getLogger().level
    try:
        for form in ("plain", "json"):
            logging.config.dictConfig(logs.config(form, "WARNING"))
            assert logging.getLogger("gunicorn.error").isEnabledFor(logging.ERROR)
    finally:
        logging.getLogger().handlers[:] = before[0]
        logging.getLogger().setLevel(before[1])
    assert sys.stderr


class TestRequests:
    """The id of a request."""

    def test_an_id_is_made_and_shown(self, client, caplog):
        caplog.set_level(logging.INFO, "deploy.request_log")
        response = client.get("/docs/?secret=hunter2")
        number = response["X-Request-ID"]
        assert re.fullmatch("[0-9a-f]{32}", number)
        [record] = [each for each in caplog.records if each.name == "deploy.request_log"]
        assert (record.method, record.path, record.status) == ("GET", "/docs/", 200)
        assert "hunter2" not in record.getMessage()
        assert client.get("/docs/")["X-Request-ID"] != number

    def test_an_id_given_by_a_proxy_is_kept(self, client):
        response = client.get("/docs/", headers={"X-Request-ID": "proxy-0123456789"})
        assert response["X-Request-ID"] == "proxy-0123456789"

    @pytest.mark.parametrize("given", ["short", "has spaces in it", "a" * 65, "<script>alert()"])
    def test_what_is_no_id_is_replaced(self, client, given):
        response = client.get("/docs/", headers={"X-Request-ID": given})
        assert re.fullmatch("[0-9a-f]{32}", response["X-Request-ID"])

    def test_a_key_in_an_address_is_not_written_down(self, client, caplog, db):
        caplog.set_level(logging.INFO, "deploy.request_log")
        client.get("/password-reset/MQ/abc123-0123456789abcdef/")
        [record] = [each for each in caplog.records if each.name == "deploy.request_log"]
        assert "abc123" not in record.getMessage() + record.path
        assert record.path == "/password-reset/<uidb64>/<token>/"
