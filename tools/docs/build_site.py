"""Build the documentation site into a folder: pages written by hand, and those made from the code.

``make docs`` runs it. The pages are put together in a folder of their own, and ``docs/`` stays as
it is. The Markdown lies beside the HTML, for language models.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from contents import write_llms
from generated_tables import fill_tables
from manual import write_manual
from protocol_pages import list_shipped_protocols, write_page

ROOT = Path(__file__).parents[2]
OVERVIEW = re.compile(r"\]\(([./]*)(protocols/)?README\.md#([a-z-]+)\)")
"""A link to a part of the overview of protocols."""


def write_docs(docs: Path) -> None:
    """Copy ``docs/`` to a folder, and add what is made from the code."""
    shutil.copytree(ROOT / "docs", docs)
    for page in docs.rglob("*.md"):
        text = page.read_text("utf-8")
        page.write_text(link_protocols(fill_tables(text)), "utf-8")
    for protocol in list_shipped_protocols():
        (docs / "protocols" / f"{protocol.name}.md").write_text(write_page(protocol), "utf-8")
    with (docs / "cli.md").open("a", encoding="utf-8") as manual:
        manual.write(f"\n{write_manual()}")
    (docs / "llms.txt").write_text(write_llms(docs), "utf-8")


def link_protocols(page: str) -> str:
    """Lead links to the overview that name a protocol to the page of this protocol.

    The repository has no such page: there the link opens the overview.
    """
    names = {each.name for each in list_shipped_protocols()}

    def lead(link: re.Match[str]) -> str:
        up, folder, name = link.groups(default="")
        return f"]({up}{folder}{name}.md)" if name in names else link[0]

    return OVERVIEW.sub(lead, page)


def build_site(site: Path) -> None:
    """Build the site; a dead link ends the build.

    Raises:
        subprocess.CalledProcessError: if it cannot be built.
    """
    with TemporaryDirectory() as folder:
        place = Path(folder)
        write_docs(place / "docs")
        shutil.copy(ROOT / "zensical.toml", place)
        (place / "src").symlink_to(ROOT / "src")
        subprocess.run(
            [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
            cwd=place,
            check=True,
        )
        shutil.copytree(place / "docs", place / "site", dirs_exist_ok=True)
        shutil.rmtree(site, ignore_errors=True)
        shutil.move(place / "site", site)


def main() -> None:
    """Read the options, and build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--into", type=Path, default=ROOT / "site", help="the folder of the site")
    build_site(parser.parse_args().into)


if __name__ == "__main__":
    main()
