"""Benches and soaks are run by hand: here is seen that they can still be begun."""

import importlib
import pkgutil

import pytest

import tests.bench
import tests.soak

# A worker's own module: importing it makes this process one.
NOT_HERE = {"tests.bench.pipeline_app"}
MODULES = [
    each.name
    for package in (tests.bench, tests.soak)
    for each in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if each.name not in NOT_HERE
]


@pytest.mark.parametrize("name", MODULES)
def test_it_can_be_imported(name):
    module = importlib.import_module(name)
    assert module.__doc__
