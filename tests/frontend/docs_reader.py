"""The pages of the documentation as tests read them: tables and code with the heading above."""

from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

CHECKOUT = Path(__file__).parents[2]
PAGES = CHECKOUT / "frontend" / "docs"
NAMES = sorted(path.name for path in PAGES.glob("*.md"))


@dataclass(frozen=True)
class Table:
    """`name`: its heading, with a number from the second below the same heading on; cells are the
    Markdown of their text."""

    page: str
    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return f"{self.page}: {self.name}"

    def column(self, number: int) -> list[str]:
        return [row[number] for row in self.rows]

    def values(self) -> dict[str, str]:
        """Second column by first."""
        return {row[0]: row[1] for row in self.rows}


@dataclass(frozen=True)
class Code:
    page: str
    heading: str
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}: {self.heading} ({self.language})"


def tables(page: str) -> list[Table]:
    found: list[Table] = []
    heading, rows = "", []
    tokens = _tokens(page)
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open":
            heading = after.content
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(after.content)
        elif token.type == "table_close":
            same = sum(table.name.split(" #")[0] == heading for table in found)
            name = f"{heading} #{same + 1}" if same else heading
            header, *body = map(tuple, rows)
            found.append(Table(page, name, header, tuple(body)))
    return found


def code(page: str, language: str | None = None) -> list[Code]:
    """The page's blocks of code, of one language or of all."""
    found: list[Code] = []
    heading = ""
    tokens = _tokens(page)
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open":
            heading = after.content
        elif token.type in ("fence", "code_block"):
            found.append(Code(page, heading, token.info, token.content))
    return [block for block in found if language in (None, block.language)]


def only(page: str, language: str, heading: str) -> str:
    """The one block of this language below this heading."""
    (block,) = (each for each in code(page, language) if each.heading == heading)
    return block.text


def words_of(page: str) -> str:
    """The page's source with each run of white space as one space."""
    return " ".join((PAGES / page).read_text(encoding="utf-8").split())


def plain(cell: str) -> str:
    """A cell whose whole text is code or emphasis, without the marks."""
    return cell.strip("`*")


def _tokens(page: str) -> list:
    return (
        MarkdownIt("commonmark").enable("table").parse((PAGES / page).read_text(encoding="utf-8"))
    )
