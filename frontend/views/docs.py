"""The documentation: Markdown files of this folder and the rules pages of the games."""

from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

import engine.games
from engine import games

PAGES = Path(__file__).parent.parent / "docs"


def sources() -> dict[str, Path]:
    """Every page by its name in addresses."""
    found = {path.stem: path for path in sorted(PAGES.glob("*.md"))}
    rules = Path(engine.games.__file__).parent
    for game in games.all():
        found[f"games/{game.name}"] = rules / game.name.replace("-", "_") / "rules.md"
    return found


@cache
def rendered(path: Path, at: float) -> tuple[str, SafeString]:
    """Title and HTML of a page; `at` is when the file was changed."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(path.read_text(encoding="utf-8"))
    title = path.stem
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h1":
            title = tokens[index + 1].content
            break
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(tokens[index + 1].content))
        for child in token.children or []:
            _mend_link(child)
    html = markdown.renderer.render(tokens, markdown.options, {})
    return title, mark_safe(html)


def anchor(heading: str) -> str:
    """A heading's name in addresses: lower case, words joined by hyphens."""
    words = "".join(c if c.isalnum() else " " for c in heading.lower())
    return "-".join(words.split())


def _mend_link(token: Token) -> None:
    """other-page.md becomes /docs/other-page/."""
    href = token.attrGet("href") if token.type == "link_open" else None
    if not isinstance(href, str):
        return
    parts = urlsplit(href)
    if not parts.scheme and not parts.netloc and parts.path.endswith(".md"):
        page = parts.path.removesuffix(".md").removeprefix("../").removeprefix("./")
        target = "/docs/" if page == "index" else f"/docs/{page}/"
        token.attrSet("href", target + (f"#{parts.fragment}" if parts.fragment else ""))


def docs(request: HttpRequest, page: str = "index") -> HttpResponse:
    """One page of the documentation."""
    path = sources().get(page)
    if path is None:
        raise Http404(f"There is no page {page!r} in the documentation.")
    title, html = rendered(path, path.stat().st_mtime)
    return render(request, "frontend/docs.html", {"title": title, "html": html, "page": page})
