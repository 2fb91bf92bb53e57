"""All pages of the documentation: links, titles, code."""

import json
import re
import tomllib
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from django.urls import resolve

from engine.package.manifest import parse_manifest
from frontend.views import docs
from tests.frontend.docs_reader import NAMES, PAGES, code, tables

HERE = Path(__file__).parent


def html_of(path: Path) -> tuple[str, str]:
    title, html = docs.rendered(path, path.stat().st_mtime)
    return title, str(html)


def links(name: str) -> list[str]:
    _, html = html_of(PAGES / name)
    return [unquote(href) for href in re.findall(r'<a href="([^"]+)"', html)]


def test_every_page_is_read_from_the_first_one():
    reached, todo = set(), ["index.md"]
    while todo:
        name = todo.pop()
        reached.add(name)
        for href in links(name):
            page = urlsplit(href).path.removeprefix("/docs/").strip("/")
            if (PAGES / f"{page}.md").exists() and f"{page}.md" not in reached:
                todo.append(f"{page}.md")
    assert reached == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name):
    sources = docs.sources()
    for href in links(name):
        parts = urlsplit(href)
        assert not parts.netloc, f"{href}: pages link within the service only"
        path = parts.path or f"/docs/{name.removesuffix('.md')}/"
        if path.startswith("/docs/"):
            page = path.removeprefix("/docs/").strip("/") or "index"
            assert page in sources, f"{href}: there is no such page"
            if parts.fragment:
                anchors = re.findall(r' id="([^"]+)"', html_of(sources[page])[1])
                assert parts.fragment in anchors, f"{href}: no such heading, only {anchors}"
        else:
            assert resolve(path), href


@pytest.mark.parametrize("name", NAMES)
def test_a_page_begins_with_its_title_and_has_no_other(name):
    text = (PAGES / name).read_text(encoding="utf-8")
    title, html = html_of(PAGES / name)
    assert text.startswith(f"# {title}\n")
    assert html.count("<h1") == 1


@pytest.mark.parametrize("name", NAMES)
def test_headings_of_a_page_differ(name):
    _, html = html_of(PAGES / name)
    anchors = re.findall(r'<h\d id="([^"]+)"', html)
    assert len(anchors) == len(set(anchors))


@pytest.mark.parametrize("name", NAMES)
def test_code_is_what_it_says(name):
    for block in code(name):
        match block.language:
            case "python":
                compile(block.text, str(block), "exec")
            case "json":
                json.loads(block.text)
            case "toml":
                assert tomllib.loads(block.text)
            case "sh" | "text":
                assert block.text.strip()
            case _:
                pytest.fail(f"{block}: the language is none of python, json, toml, sh, text")


def test_every_table_and_every_command_has_a_test():
    # Each page with tables or code has a test file of its own, which goes through all of them.
    for name in NAMES:
        own = HERE / f"test_docs_{name.removesuffix('.md').replace('-', '_')}.py"
        if tables(name):
            assert f'tables("{name}")' in own.read_text(), name
        if code(name, "sh"):
            assert f'code("{name}", "sh")' in own.read_text(), name
        if code(name, "python"):
            assert f'"{name}", "python"' in own.read_text(), name


def test_rows_of_a_table_are_as_long_as_its_header():
    for name in NAMES:
        for table in tables(name):
            assert table.rows, str(table)
            for row in table.rows:
                assert len(row) == len(table.header), f"{table}: {row}"
                assert row[0], f"{table}: {row}"


def test_manifest_of_the_page_is_read():
    (block,) = code("packages.md", "toml")
    manifest = parse_manifest(block.text.encode())
    assert (manifest.games, manifest.entry) == (("deca-slayer",), "main.py")
