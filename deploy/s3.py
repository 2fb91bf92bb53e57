"""The private storage in a bucket of an S3-compatible store; needs the packages of extra `s3`."""

from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from storages.backends.s3 import S3Storage

# A store that does not answer must not hold a worker for longer than a few leases.
_CONNECT_S, _READ_S, _TRIES = 5, 20, 3


class PrivateS3(S3Storage):  # type: ignore[misc]
    """Objects that nobody may read but by our key or a link that it has signed."""

    def get_default_settings(self) -> dict[str, Any]:
        return {
            **super().get_default_settings(),
            "default_acl": None,  # the bucket's owner alone
            "querystring_auth": True,
            # Every name is used once. To ask for it first would double the requests, and need the
            # right to list the bucket, which workers do not have.
            "file_overwrite": True,
            # Files are small, and workers fork.
            "transfer_config": TransferConfig(use_threads=False),
            "signature_version": "s3v4",
        }

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.client_config = Config(
            s3={"addressing_style": self.addressing_style},
            signature_version=self.signature_version,
            connect_timeout=_CONNECT_S,
            read_timeout=_READ_S,
            retries={"total_max_attempts": _TRIES, "mode": "standard"},
            # Newer checksums are not known to every compatible store.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
