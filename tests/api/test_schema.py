"""The API's own description: valid, without warnings, and with every call of organisers in it."""

import io

import yaml
from django.core.management import call_command


def test_the_description_is_valid_and_complete():
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    paths = yaml.safe_load(out.getvalue())["paths"]
    for path, method in (
        ("brackets/{slug}/entries/many/", "post"),
        ("brackets/{slug}/forecast/", "get"),
        ("brackets/{slug}/stages/{stage}/rounds/{round}/tables/{table}/void/", "post"),
        ("brackets/{slug}/export.json", "get"),
        ("brackets/{slug}/report.trf", "get"),
        ("brackets/import/", "post"),
        ("seasons/{slug}/roll-over/", "post"),
        ("seasons/{slug}/standings.csv", "get"),
    ):
        assert method in paths[f"/api/v1/{path}"], path
