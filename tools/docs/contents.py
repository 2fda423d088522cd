"""The contents of the documentation: ``SUMMARY.md``, and ``llms.txt`` made of it.

``llms.txt`` tells a language model what is where, by the first lines of the pages.
"""

import re
from pathlib import Path

ENTRY = re.compile(r"^( *)- \[(.+)\]\((.+)\)$", re.MULTILINE)
"""A line of ``SUMMARY.md``: its indent, its title, and a page or a folder."""
HEAD = """\
# moot

> {summary}

Links are relative to this file.
"""


def list_pages(docs: Path) -> list[tuple[str, list[tuple[str, Path]]]]:
    """Return the sections of the contents, each with the titles and paths of its pages, in order.

    A folder stands for all of its pages that have no line of their own.
    """
    lines = ENTRY.findall((docs / "SUMMARY.md").read_text("utf-8"))
    own = {docs / target for _, _, target in lines}
    sections: list[tuple[str, list[tuple[str, Path]]]] = []
    for indent, title, target in lines:
        if not indent:
            sections.append((title, [(title, docs / target)]))
        elif target.endswith("/"):
            inside = sorted(set((docs / target).glob("*.md")) - own, key=lambda page: page.stem)
            sections[-1][1].extend((read_title(page), page) for page in inside)
        else:
            sections[-1][1].append((title, docs / target))
    return sections


def read_title(page: Path) -> str:
    """Return the first heading of a page, without a date."""
    heading = page.read_text("utf-8").partition("\n")[0].removeprefix("# ")
    return re.sub(r"^\d{4}-\d\d-\d\d: | \(\d{4}-\d\d-\d\d\)$", "", heading)


def read_summary(page: Path) -> str:
    """Return the first sentence of a page's first paragraph; empty where it begins otherwise."""
    for part in page.read_text("utf-8").split("\n\n")[1:]:
        if re.match(r"[\w*`\"]", part):
            plain = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", " ".join(part.split()))
            return re.split(r"(?<=[.:?]) (?=[A-Z*`])", plain)[0]
    return ""


def write_llms(docs: Path) -> str:
    """Return ``llms.txt``: all pages with a sentence of each, decisions only as one."""
    parts = [HEAD.format(summary=read_summary(docs / "index.md"))]
    for title, pages in list_pages(docs):
        lines = [
            f"- [{name}]({page.relative_to(docs).as_posix()}): {read_summary(page)}"
            for name, page in pages
            if page.parent.name != "decisions" or page.name == "README.md"
        ]
        parts.append("\n".join([f"## {title}", "", *lines, ""]))
    return "\n".join(parts)
