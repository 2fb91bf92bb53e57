"""The runbook knows every alert, and the list of figures is that of /metrics."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from deploy import metrics
from deploy.installation import CHECKOUT
from tournaments import dispatch, ladders, tallying

README = CHECKOUT / "deploy/README.md"


def section(title):
    return README.read_text().partition(f"\n{title}\n")[2].partition("\n## ")[0]


def test_every_alert_has_its_row():
    alerts = (CHECKOUT / "deploy/prometheus/alerts.yaml").read_text()
    named = re.findall(r"- alert: (\w+)", alerts)
    rows = re.findall(r"^\| `(Slayer\w+)` \|", section("## On call"), re.MULTILINE)
    assert sorted(rows) == sorted(named)


@pytest.mark.django_db(transaction=True)
def test_every_figure_is_told_with_its_labels(settings, redis_url):
    settings.REDIS_URL = redis_url
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": redis_url}}
    ladders.open_ladder("deca-slayer")
    dispatch.reap()
    tallying.tally()
    tallying.note_waits()
    given = {}
    for family in text_string_to_metric_families(metrics.text().decode()):
        name = family.name + ("_total" if family.type == "counter" else "")
        given[name] = set().union(*(sample.labels for sample in family.samples))
    for kept in metrics.KEPT.values():
        given[kept.metric + ("_total" if kept.counter else "")] = set(kept.labels)
    table = section("### Figures").partition("\n| metric |")[2]
    told = {
        name: set(labels.split(",")) if labels else set()
        for name, labels in re.findall(r"`(slayer_\w+)(?:\{([\w,]+)\})?`", table)
    }
    assert set(told) == set(given)
    assert {name: labels for name, labels in given.items() if labels} == {
        name: labels for name, labels in told.items() if given[name]
    }


def test_commands_that_the_runbook_names_exist():
    commands = {path.stem for path in CHECKOUT.glob("*/management/commands/*.py")}
    text = section("## Watching") + section("## On call") + section("## Data")
    named = set(re.findall(r"manage\.py (\w+)", text))
    assert named <= commands | {"migrate"}
    assert {"doctor", "workers", "backup", "restore"} <= named
