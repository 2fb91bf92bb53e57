"""The Kubernetes files as data: built as by kustomize, held against Kubernetes' own schemas, and
compared with what the code knows: roles, variables, paths, ports, metrics."""

import json
import re
import shutil
import subprocess
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate
import pytest
import yaml
from django.urls import resolve

from deploy import container, environment
from deploy.installation import CHECKOUT
from tests.deploy import kustomize
from tests.deploy.test_container_files import PROJECT, pinned
from tournaments.database_role import DEFAULT_NAME

FOLDER = CHECKOUT / "deploy/kubernetes"
VARIANTS = ("base", "overlays/kata", "overlays/gvisor")
KUBERNETES = "1.36"
WITHOUT_SCHEMA = {"ScaledObject"}
SECRETS = {
    "slayer-owner": {
        "DATABASE_URL", "REDIS_URL", "SECRET_KEY", "SLAYER_WORKER_PASSWORD",
        "SLAYER_METRICS_TOKEN", "SLAYER_S3_ACCESS_KEY", "SLAYER_S3_SECRET_KEY",
    },
    "slayer-worker": {
        "DATABASE_URL", "REDIS_URL", "SLAYER_S3_ACCESS_KEY", "SLAYER_S3_SECRET_KEY",
    },
}  # fmt: skip


@cache
def built(variant: str) -> list[dict[str, Any]]:
    return kustomize.build(FOLDER / variant)


def named(kind: str, name: str, variant: str = "base") -> dict[str, Any]:
    (found,) = [
        each
        for each in built(variant)
        if each["kind"] == kind and each["metadata"]["name"].startswith(name)
    ]
    return found


def pods(variant: str = "base") -> dict[str, dict[str, Any]]:
    """The pods' specifications by the name of who makes them."""
    return {
        each["metadata"]["name"]: each["spec"]["template"]["spec"]
        for each in built(variant)
        if each["kind"] in ("Deployment", "Job", "DaemonSet")
    }


def containers(variant: str = "base") -> list[tuple[str, dict[str, Any]]]:
    return [
        (name, each)
        for name, pod in pods(variant).items()
        for each in (*pod["containers"], *pod.get("initContainers", []))
    ]


def labels(name: str) -> dict[str, str]:
    (found,) = [
        each["spec"]["template"]["metadata"]["labels"]
        for each in built("base")
        if each["kind"] in ("Deployment", "Job", "DaemonSet") and each["metadata"]["name"] == name
    ]
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_they_are_built_as_kubectl_would(variant: str) -> None:
    """Where there is a kubectl; elsewhere that all parts of the files are known ones."""
    ours = {(each["kind"], each["metadata"]["name"]): each for each in built(variant)}
    assert len(ours) == len(built(variant))
    if shutil.which("kubectl") is None:
        return
    done = subprocess.run(
        ["kubectl", "kustomize", FOLDER / variant], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # The name of a generated ConfigMap ends with a hash of what is in it, wherever it stands.
    text = re.sub(r"worker-seccomp-[a-z0-9]{10}\b", "worker-seccomp", done.stdout)
    theirs = {(each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(text)}
    assert ours == theirs


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_object_is_what_kubernetes_takes(variant: str) -> None:
    seen = set()
    for each in built(variant):
        if each["kind"] in WITHOUT_SCHEMA:
            continue
        kubernetes_validate.validate(each, KUBERNETES, strict=True)
        seen.add(each["kind"])
    assert {"Deployment", "Service", "Job", "NetworkPolicy", "PodDisruptionBudget"} <= seen


def test_the_schemas_refuse_what_is_wrong() -> None:
    broken = json.loads(json.dumps(named("Deployment", "worker")))
    broken["spec"]["template"]["spec"]["hostUser"] = False
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, KUBERNETES, strict=True)


def test_every_file_is_used() -> None:
    """A manifest that no kustomization names would never be applied."""
    for kustomization in FOLDER.rglob("kustomization.yaml"):
        document = yaml.safe_load(kustomization.read_text())
        used = {*document["resources"], *(patch["path"] for patch in document.get("patches", []))}
        for generated in document.get("configMapGenerator", []):
            used |= set(generated["files"])
        here = {path.name for path in kustomization.parent.iterdir()} - {"kustomization.yaml"}
        assert here == {name for name in used if "/" not in name}


def test_there_is_a_deployment_for_each_role() -> None:
    roles = {name: pod for name, pod in pods().items() if name in container.ROLES}
    assert set(roles) == set(container.ROLES)
    for name, pod in roles.items():
        (only,) = pod["containers"]
        assert only["args"] == [name]
        assert "command" not in only  # the image's entry point
    assert named("Job", "migrate")["spec"]["template"]["spec"]["restartPolicy"] == "Never"


@pytest.mark.parametrize("variant", VARIANTS)
def test_images_are_pinned_to_this_version(variant: str) -> None:
    for _, each in containers(variant):
        assert pinned(each["image"])
        assert each["image"].endswith(f"/slayer-league:{PROJECT['version']}")


def test_every_variable_is_known_and_every_value_right() -> None:
    settings = {
        each["metadata"]["name"]: each["data"]
        for each in built("base")
        if each["kind"] == "ConfigMap" and each["metadata"]["name"].startswith("settings")
    }
    for values in settings.values():
        for name in values:
            assert name in environment.VARIABLES
            assert not environment.VARIABLES[name].secret
    environment.read_all({**settings["settings-site"], **settings["settings-all"]})
    for _, each in containers():
        for source in each.get("envFrom", []):
            if "configMapRef" in source:
                assert source["configMapRef"]["name"] in settings
            else:
                assert source["secretRef"]["name"] in SECRETS
    told = (FOLDER / "base/settings.yaml").read_text()
    for name, variables in SECRETS.items():
        assert name in told
        for variable in variables:
            assert environment.VARIABLES[variable].secret
            assert variable in told


def test_a_worker_has_no_secret_but_its_own() -> None:
    worker = pods()["worker"]
    sources = worker["containers"][0]["envFrom"]
    assert sources == [
        {"configMapRef": {"name": "settings-all"}},
        {"secretRef": {"name": "slayer-worker"}},
    ]
    assert not SECRETS["slayer-worker"] & {"SECRET_KEY", "SLAYER_WORKER_PASSWORD"}
    assert worker["automountServiceAccountToken"] is False
    assert DEFAULT_NAME in (FOLDER / "base/settings.yaml").read_text()


def probes(each: dict[str, Any]) -> list[dict[str, Any]]:
    return [each[kind] for kind in each if kind.endswith("Probe")]


def test_probes_ask_what_exists() -> None:
    asked = 0
    for name, each in containers():
        ports = {port["name"]: port["containerPort"] for port in each.get("ports", [])}
        for probe in probes(each):
            asked += 1
            if "httpGet" in probe:
                parts = urlsplit(probe["httpGet"]["path"])
                assert resolve(parts.path).url_name in ("healthz", "readyz")
                assert ports[probe["httpGet"]["port"]] == container.PORT
            else:
                assert probe["exec"]["command"] == [
                    "python", "-m", "deploy.container", "check", name,
                ]  # fmt: skip
    assert asked == 6


@pytest.mark.django_db
def test_the_readiness_probe_names_checks_that_exist(client) -> None:
    probe = pods()["web"]["containers"][0]["readinessProbe"]
    assert client.get(probe["httpGet"]["path"]).status_code != 400


def test_nothing_restarts_a_worker_that_waits_for_the_broker() -> None:
    for name in ("worker", "housekeeper", "beat"):
        assert "livenessProbe" not in pods()[name]["containers"][0]


def test_the_service_leads_to_the_port() -> None:
    service = named("Service", "web")
    assert service["spec"]["ports"][0]["targetPort"] == "http"
    assert service["spec"]["selector"].items() <= labels("web").items()
    assert service["metadata"]["annotations"]["prometheus.io/port"] == str(container.PORT)
    assert resolve(service["metadata"]["annotations"]["prometheus.io/path"]).url_name == "metrics"


@pytest.mark.parametrize("variant", VARIANTS)
def test_containers_can_change_nothing_of_themselves(variant: str) -> None:
    for name, each in containers(variant):
        rights = each["securityContext"]
        assert rights["readOnlyRootFilesystem"] is True, name
        assert rights["allowPrivilegeEscalation"] is False
        assert rights["capabilities"] == {"drop": ["ALL"]}
        assert rights.get("privileged") is not True
        if name != "seccomp-installer":
            assert pods(variant)[name]["securityContext"]["runAsNonRoot"] is True
            mounted = {mount["mountPath"] for mount in each["volumeMounts"]}
            assert {"/data", "/tmp"} <= mounted
        assert "memory" in each["resources"]["limits"]


def test_the_sandbox_gets_what_it_needs() -> None:
    worker = pods()["worker"]
    assert worker["hostUsers"] is False
    profile = worker["securityContext"]["seccompProfile"]
    assert profile["type"] == "Localhost"
    # The installer puts the tested profile where the kubelet looks for that name.
    installer = pods()["seccomp-installer"]
    (place,) = [v["hostPath"]["path"] for v in installer["volumes"] if "hostPath" in v]
    folder, file = profile["localhostProfile"].split("/")
    assert place == f"/var/lib/kubelet/seccomp/{folder}"
    assert installer["initContainers"][0]["command"][-1] == f"/seccomp/{file}"
    configured = named("ConfigMap", "worker-seccomp")["data"][file]
    assert configured == (FOLDER / "base" / file).read_text()
    assert worker["securityContext"]["appArmorProfile"] == {"type": "Unconfined"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_unmasked_proc_has_users_of_its_own(variant: str) -> None:
    """Kubernetes refuses the one without the other."""
    for pod in pods(variant).values():
        for each in pod["containers"]:
            if each["securityContext"].get("procMount") == "Unmasked":
                assert pod["hostUsers"] is False


@pytest.mark.parametrize(("variant", "handler"), [("kata", "kata"), ("gvisor", "runsc")])
def test_variants_put_workers_alone_behind_another_kernel(variant: str, handler: str) -> None:
    folder = f"overlays/{variant}"
    runtime = named("RuntimeClass", variant, folder)
    assert runtime["handler"] == handler
    for name, pod in pods(folder).items():
        assert pod.get("runtimeClassName") == (variant if name == "worker" else None)
    # But for the wall nothing differs: what is played where is for the worker's own trial to say.
    assert pods(folder)["worker"]["containers"][0]["args"] == ["worker"]
    same = [each for each in built("base") if each["metadata"]["name"] != "worker"]
    assert [each for each in same if each not in built(folder)] == []


def egress(name: str) -> list[dict[str, Any]]:
    """The rules of egress that count for a pod."""
    rules = []
    for each in built("base"):
        if each["kind"] != "NetworkPolicy" or "Egress" not in each["spec"]["policyTypes"]:
            continue
        if selects(each["spec"]["podSelector"], labels(name)):
            rules += each["spec"].get("egress", [])
    return rules


def selects(selector: dict[str, Any], having: dict[str, str]) -> bool:
    return selector.get("matchLabels", {}).items() <= having.items() and all(
        having.get(rule["key"]) in rule["values"] for rule in selector.get("matchExpressions", [])
    )


def test_workers_reach_broker_database_store_and_names_only() -> None:
    everything = named("NetworkPolicy", "nothing")["spec"]
    assert everything == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    reached = set()
    for rule in egress("worker"):
        assert rule["to"], "a rule without `to` would open the port to the world"
        for target in rule["to"]:
            server = target["podSelector"]["matchLabels"]
            for port in rule["ports"]:
                reached.add((next(iter(server.values())), port["port"]))
    assert reached == {("database", 5432), ("broker", 6379), ("store", 443), ("kube-dns", 53)}
    ingress = [
        each
        for each in built("base")
        if each["kind"] == "NetworkPolicy"
        and each["spec"].get("ingress")
        and selects(each["spec"]["podSelector"], labels("worker"))
    ]
    assert ingress == []
    assert len(egress("web")) == len(egress("worker")) + 1  # the mail server


def test_budgets_and_selectors_fit_their_pods() -> None:
    for each in built("base"):
        if each["kind"] == "PodDisruptionBudget":
            assert selects(each["spec"]["selector"], labels(each["metadata"]["name"]))
        if each["kind"] in ("Deployment", "DaemonSet"):
            assert selects(each["spec"]["selector"], labels(each["metadata"]["name"]))


def test_workers_scale_on_the_queue() -> None:
    scaling = named("ScaledObject", "worker")
    assert scaling["apiVersion"] == "keda.sh/v1alpha1"
    assert scaling["spec"]["scaleTargetRef"] == {"name": "worker"}
    assert "replicas" not in named("Deployment", "worker")["spec"]  # one hand on the wheel
    queue, wait = scaling["spec"]["triggers"]
    assert queue["type"] == wait["type"] == "prometheus"
    # The queue of a ladder is kept full for the workers there are: it asks for none.
    assert 'slayer_queue_matches{lane!="ladder"}' in queue["metadata"]["query"]
    assert queue["metricType"] == "AverageValue"
    assert "slayer_ladder_longest_wait_seconds" in wait["metadata"]["query"]
    assert wait["metricType"] == "Value"
    assert 0 < scaling["spec"]["minReplicaCount"] <= scaling["spec"]["maxReplicaCount"]
