"""Where the private files lie: a folder of this machine, or a bucket of an S3-compatible store.

Read by the settings, so nothing is imported here that an installation without a store lacks.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

LONGEST_LINK_S = 300  # a signed link is good for no longer, whoever has passed it on


def private(env: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Django's settings of the storage of packages, replays and logs."""
    if not env["SLAYER_S3_BUCKET"]:
        return {
            "BACKEND": "deploy.folder.PrivateFolder",
            "OPTIONS": {"location": str(folder), "base_url": None},
        }
    return {
        "BACKEND": "deploy.s3.PrivateS3",
        "OPTIONS": {
            "bucket_name": env["SLAYER_S3_BUCKET"],
            "endpoint_url": env["SLAYER_S3_ENDPOINT"] or None,
            "region_name": env["SLAYER_S3_REGION"],
            "access_key": env["SLAYER_S3_ACCESS_KEY"] or None,
            "secret_key": env["SLAYER_S3_SECRET_KEY"] or None,
            "addressing_style": "path" if env["SLAYER_S3_PATH_STYLE"] else "virtual",
            "querystring_expire": env["SLAYER_S3_LINK_S"] or LONGEST_LINK_S,
        },
    }
