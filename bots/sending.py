"""Private files for who may have them: sent by the site, or by the store under a short-lived link.

Whoever calls has checked the rights, anew for each request.
"""

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.db.models.fields.files import FieldFile
from django.http import FileResponse, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

KIND = "application/octet-stream"


def send(file: FieldFile, *, filename: str) -> HttpResponseBase:
    """The file as a download of that name.

    With SLAYER_S3_LINK_S the answer leads to a link that the store honours for so many seconds;
    the browser must ask us again after that, so nothing may keep the answer.
    """
    if not file.name:
        raise SuspiciousFileOperation("This row has no file")
    if settings.FILE_LINK_S:
        link = file.storage.url(
            file.name,
            parameters={  # type: ignore[call-arg]  # of stores that sign
                "ResponseContentDisposition": content_disposition_header(True, filename),
                "ResponseContentType": KIND,
            },
            expire=settings.FILE_LINK_S,
        )
        response = HttpResponseRedirect(link)
        response["Cache-Control"] = "private, no-store"
        return response
    return FileResponse(file.open("rb"), as_attachment=True, filename=filename, content_type=KIND)


def send_bytes(data: bytes, *, filename: str) -> HttpResponseBase:
    """A part of a private file, as a download of that name."""
    disposition = content_disposition_header(True, filename)
    return HttpResponse(data, content_type=KIND, headers={"Content-Disposition": disposition or ""})
