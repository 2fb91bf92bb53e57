"""As much of kustomize as our files use, so that they can be tested where no kubectl is.

`tests/deploy/test_kubernetes.py` compares it with kubectl's own on machines that have one.
"""

from pathlib import Path
from typing import Any

import yaml

Object = dict[str, Any]
_KNOWN = {
    "apiVersion", "kind", "namespace", "labels", "resources", "configMapGenerator", "images",
    "patches",
}  # fmt: skip
_OF_THE_CLUSTER = {"Namespace", "RuntimeClass"}


def build(folder: Path) -> list[Object]:
    """The objects of a kustomization; a generated ConfigMap has its name without the hash."""
    document = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert set(document) <= _KNOWN, f"{folder}: {sorted(set(document) - _KNOWN)}"
    objects: list[Object] = []
    for name in document["resources"]:
        path = folder / name
        objects += build(path) if path.is_dir() else yaml.safe_load_all(path.read_text())
    for generated in document.get("configMapGenerator", []):
        data = {name: (folder / name).read_text() for name in generated["files"]}
        metadata = {"name": generated["name"]}
        objects.append(
            {"apiVersion": "v1", "kind": "ConfigMap", "data": data, "metadata": metadata}
        )
    for each in objects:
        if "namespace" in document and each["kind"] not in _OF_THE_CLUSTER:
            each["metadata"].setdefault("namespace", document["namespace"])
        for rule in document.get("labels", []):
            labels = each["metadata"].get("labels", {})
            each["metadata"]["labels"] = {**labels, **rule["pairs"]}
        for image in document.get("images", []):
            _rename(each, image["name"], f"{image['newName']}:{image['newTag']}")
    for patch in document.get("patches", []):
        change = yaml.safe_load((folder / patch["path"]).read_text())
        (target,) = [each for each in objects if _same(each, change)]
        _merge(target, change)
    return objects


def _same(one: Object, other: Object) -> bool:
    return (one["kind"], one["metadata"]["name"]) == (other["kind"], other["metadata"]["name"])


def _rename(node: Any, name: str, image: str) -> None:
    if isinstance(node, list):
        for each in node:
            _rename(each, name, image)
    elif isinstance(node, dict):
        if node.get("image") == name:
            node["image"] = image
        for each in node.values():
            _rename(each, name, image)


def _merge(into: Object, change: Object) -> None:
    """A strategic merge: null takes away, lists of named things are merged by name."""
    for key, value in change.items():
        if value is None:
            into.pop(key, None)
        elif isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        elif isinstance(value, list) and all("name" in each for each in value):
            for each in value:
                (target,) = [found for found in into[key] if found["name"] == each["name"]]
                _merge(target, each)
        else:
            into[key] = value
