"""Brackets and seasons as files to keep: JSON, CSV, tournament reports."""

import json
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from api.views.bracket_acts import whole
from bots.faults import UserFault
from tournaments.interchange import documents, drafts, sheets, trf
from tournaments.interchange.crosstable import report_of
from tournaments.models import Bracket

STAGE = OpenApiParameter("stage", int, description="Which stage; needed where there are several")
VERSION = OpenApiParameter("version", int, description="26 or 16", default=26)


class FileView(APIView):
    """Answers with a file whatever a client says it accepts; errors are JSON as everywhere."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        return JSONRenderer(), "application/json"


def sent(text: str, filename: str, kind: str) -> HttpResponse:
    """The text as a file to keep."""
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def document_of(slug: str) -> dict[str, Any]:
    """A bracket's document; 404 when there is none."""
    bracket = Bracket.objects.select_related("season").filter(slug=slug).first()
    if bracket is None:
        raise NotFound(f"There is no bracket {slug}.")
    return documents.bracket_document(bracket)


class BracketJson(FileView):
    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Everything of a bracket; its schema is at /api/v1/schemas/bracket-1.json."""
        text = json.dumps(document_of(slug), ensure_ascii=False, indent=1)
        return sent(text, f"{slug}.json", "application/json")


class BracketCsv(FileView):
    sheet = "standings"

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str) -> HttpResponse:
        """A sheet of a bracket."""
        text = sheets.bracket_sheet(document_of(slug), self.sheet)
        return sent(text, f"{slug}-{self.sheet}.csv", "text/csv")


class BracketReport(FileView):
    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR}, parameters=[STAGE, VERSION])
    def get(self, request: Request, slug: str) -> HttpResponse:
        """A stage with tables of two as a tournament report (TRF)."""
        query = request.query_params
        stage = whole(query["stage"], "stage") if "stage" in query else None
        version = whole(query.get("version", "26"), "version")
        try:
            text = trf.write(report_of(document_of(slug), stage), version)
        except trf.TrfError as error:
            raise UserFault(f"{error}"[:1].upper() + f"{error}"[1:]) from None
        return sent(text, f"{slug}.trf", "text/plain")


class SchemaFile(FileView):
    @extend_schema(responses={(200, "application/schema+json"): OpenApiTypes.OBJECT})
    def get(self, request: Request, kind: str) -> HttpResponse:
        """The JSON schema of exported documents."""
        text = json.dumps(drafts.schema(kind), indent=1)
        return HttpResponse(text, content_type="application/schema+json")
