"""Alerts, dashboard and worker scaling speak of metrics that the service really gives."""

import json
import re
from collections.abc import Iterator

import promql_parser
import pytest
import yaml

from deploy import metrics
from deploy.installation import CHECKOUT
from tournaments import dispatch, tallying

ALERTS = yaml.safe_load((CHECKOUT / "deploy/prometheus/alerts.yaml").read_text())
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((CHECKOUT / "deploy/grafana/slayer-league.json").read_text())
SCALING = yaml.safe_load((CHECKOUT / "deploy/kubernetes/base/worker-scaling.yaml").read_text())
NAME = re.compile(r"\bslayer_\w+")


def expressions() -> Iterator[tuple[str, str]]:
    """(where, expression) of everything that asks Prometheus."""
    for rule in RULES:
        yield rule["alert"], rule["expr"]
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for trigger in SCALING["spec"]["triggers"]:
        yield "worker-scaling", trigger["metadata"]["query"]


@pytest.fixture
def given(db) -> dict[str, set[str]]:
    """The metrics that the service gives, with the labels of each."""
    dispatch.reap()
    tallying.tally()
    labels: dict[str, set[str]] = {}
    for line in metrics.text().decode().splitlines():
        if found := re.match(r"# TYPE (\w+)", line):
            labels.setdefault(found[1], set())
        elif found := re.match(r"(\w+)\{(.*)\}", line):
            labels[found[1]] |= set(re.findall(r"(\w+)=\"", found[2]))
    for kept in metrics.KEPT.values():
        labels[kept.metric + ("_total" if kept.counter else "")] |= set(kept.labels)
    # No worker has registered here.
    labels["slayer_workers"] |= {"state", "tier", "version"}
    return labels


@pytest.mark.parametrize(("where", "expression"), list(expressions()))
def test_it_is_promql(where: str, expression: str) -> None:
    promql_parser.parse(expression)


def test_every_metric_is_one_that_the_service_gives(given: dict[str, set[str]]) -> None:
    asked = {name for _, expression in expressions() for name in NAME.findall(expression)}
    assert len(asked) > 15
    assert asked <= set(given), asked - set(given)
    # And what it gives is shown somewhere: a figure that nobody looks at is none.
    assert set(given) - asked == set()


def test_every_label_is_one_that_the_metric_has(given: dict[str, set[str]]) -> None:
    for where, expression in expressions():
        metric = NAME.findall(expression)
        has = set().union(*(given[name] for name in metric)) | {"instance"}
        by = {label for group in re.findall(r"by \(([^)]*)\)", expression)
              for label in group.replace(",", " ").split()}  # fmt: skip
        by |= set(re.findall(r"[{,]\s*(\w+)\s*(?:=~|!=|!~|=)\"", expression))
        assert by <= has, where


def test_each_alert_says_how_bad_it_is_and_what_to_do() -> None:
    names = [rule["alert"] for rule in RULES]
    assert len(names) == len(set(names)) > 10
    for rule in RULES:
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["action"]


def test_prometheus_reads_the_alerts_and_asks_with_the_token() -> None:
    config = yaml.safe_load((CHECKOUT / "deploy/prometheus/prometheus.yaml").read_text())
    assert config["rule_files"] == ["alerts.yaml"]
    (job,) = config["scrape_configs"]
    assert job["metrics_path"] == "/metrics"
    assert job["authorization"]["type"] == "Bearer"
    assert job["static_configs"][0]["targets"] == ["web:8000"]


def test_panels_do_not_cover_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, panel["title"]
        taken |= cells
