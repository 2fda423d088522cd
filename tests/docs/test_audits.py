"""Pages of audits are what the logs give, and the page on audits names all that there is."""

import json
import re
from pathlib import Path

import pytest

import audit_pages
from moot.contrib.audits.causes import CAUSES
from moot.contrib.audits.claims import read_claim_file
from moot.contrib.audits.rules import Replies, countings, list_rules, readers, registry
from support.shown import DOCS, ROOT, find_blocks

PAGE = (DOCS / "import.md").read_text()
AUDITS = DOCS / "audits"
PAGED = audit_pages.list_logs()
LOGS = [each.folder for each in PAGED if not each.analysis]


def test_the_page_names_every_counting_reader_cause_and_published_rule():
    assert [name for name in (*countings, *readers) if f"`{name}`" not in PAGE] == []
    assert [name for name in CAUSES if f"| {name} |" not in PAGE] == []
    for name, words in CAUSES.items():
        assert f"| {name} | {words} |" in PAGE
    published = {each.name for kind in ("number", "choice") for each in list_rules([kind])}
    assert [each for each in published if ":" not in each and f"`{each}`" not in PAGE] == []


def test_the_claim_shown_can_be_read(tmp_path):
    [shown] = find_blocks(PAGE, "toml")
    path = tmp_path / "claim.toml"
    path.write_text(shown)
    [claim] = read_claim_file(path)
    assert claim.source == "arXiv:2305.14325, Table 1, GSM8K, Multi-agent, page 6"
    assert (claim.values[0].share, claim.n, claim.log) == (0.85, 100, "gsm_3_2.json")


def test_the_rule_shown_counts():
    [shown] = find_blocks(PAGE, "python")
    made = {}
    exec(shown, made)
    try:
        own = registry.get("last-line")
        assert own.apply(Replies(None, "5", ("So:\n5", "7"), ("5", "7"))) == "right"
        assert own.apply(Replies(None, "5", ("5\nor 7", "5"), ("5", "7"))) == "wrong"
    finally:
        registry._found.pop("last-line")
        registry._sorted = None


def test_every_log_has_a_page_with_its_picture_and_a_row():
    front = (AUDITS / "README.md").read_text()
    every = {each.folder for each in PAGED}
    assert {page.stem for page in AUDITS.glob("*.md")} == {"README", *every}
    pictures = {path.stem for path in (AUDITS / "figures").iterdir()}
    assert set(LOGS) <= pictures < every
    for folder in every:
        assert f"]({folder}.md)" in front
        text = (AUDITS / f"{folder}.md").read_text()
        assert (f"](figures/{folder}.svg)" in text) is (folder in pictures)
        assert "issue with the name of this page" in text.partition("## Reply")[2]
        assert re.search(r"From github\.com/[\w./-]+, commit [0-9a-f]{7}", text)
        assert re.search(r"`[\w/*-]+\.(py|md|scala)`, lines? \d+", text)


def read_table(text: str, title: str) -> list[dict[str, str]]:
    """Return the rows of a page's table, by the heads of its columns."""
    part = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    head, _, *rows = split_rows(part, r"^\| .*$")
    return [dict(zip(head, row, strict=True)) for row in rows]


def begin(cell: str) -> str:
    """Return the number at the beginning of a cell."""
    return cell.strip("*").split(" ")[0]


@pytest.mark.parametrize("folder", LOGS)
def test_the_row_of_a_log_has_the_figures_of_its_page(folder):
    """Whether its log is here or not."""
    text, front = (AUDITS / f"{folder}.md").read_text(), (AUDITS / "README.md").read_text()
    [row] = [row for row in split_rows(front, r"^\| \[.*$") if f"({folder}.md)" in row[0]]
    _, n, claimed, vote, debate, gap, their_gap, p, smallest = row
    gaps = {each["difference"]: each for each in read_table(text, "What is then so")}
    [stated] = [
        each for name, each in gaps.items() if name.startswith("debate − vote of its first")
    ]
    [theirs] = [each for name, each in gaps.items() if name.startswith("the same, replies read")]
    as_page = str.maketrans({"[": "(", "]": ")", "*": ""})
    shown = [stated["points"].replace(" …", ","), stated["p"], stated["questions"]]
    assert shown == [gap.translate(as_page), p, n]
    assert stated["smallest to show"] == smallest
    assert theirs["points"].replace(" …", ",") == their_gap.translate(as_page)
    alone = [int(stated[f"right by: {which} alone"]) for which in ("first", "second")]
    points = float(begin(gap).replace("−", "-"))
    assert points == pytest.approx(100 * (alone[0] - alone[1]) / int(n), abs=0.051)
    assert float(debate) - float(vote) == pytest.approx(points, abs=0.101)
    figures = read_table(text, "Three numbers")
    if "setting" in figures[0]:  # the front page has the one with several agents
        figures = [each for each in figures if each["setting"] == figures[-1]["setting"]]
    column = "by their rule %" if claimed.startswith("(") else "claimed %"
    assert [begin(each[column]) for each in figures] == claimed.strip("()").split(" → ")
    assert begin(figures[0]["by ours %"]) == vote
    assert begin(figures[-1]["by ours %"]) == debate


def test_every_audit_says_which_files_to_fetch(shared_data):
    """As the copies of logs that are here were fetched."""
    for log in PAGED:
        text = (AUDITS / f"{log.folder}.md").read_text()
        commands = text.partition("## Do it again")[2].partition("\n## ")[0]
        assert "git clone https://github.com/" in commands
        assert [each for each in log.copy if f"\n{each}\n" not in commands] == []
        assert bool(log.files) is (not log.copy)
        for file in log.files:
            assert re.search(
                rf"^cp [\w-]+/{re.escape(file)} {log.folder}/$", commands, re.MULTILINE
            )
        source = Path(shared_data) / "debates" / log.folder / "SOURCE.json"
        if source.exists():
            known = json.loads(source.read_text())
            if log.files:
                assert [each["path"] for each in known["files"]] == [*log.files]
            assert f"checkout {known['commit']}\n" in commands


def test_quotations_in_pages_are_short():
    for folder in LOGS:
        disputed = (AUDITS / f"{folder}.md").read_text().partition("## Disputed")[2]
        for line in disputed.partition("\n## ")[0].splitlines():
            if line.startswith("| ") and line.count(" | ") == 6:
                assert len(line.split(" | ")[3]) <= 2 * audit_pages.WORDS


@pytest.mark.soak
def test_every_page_is_what_its_log_gives(shared_data, tmp_path):
    """Of the logs that are here; the rows of others stay."""
    folder = Path(shared_data) / "debates"
    here = [each.folder for each in PAGED if (folder / each.folder).is_dir()]
    if not here:
        pytest.skip("no copies of these logs are in ../shared/data/debates")
    audit_pages.write_pages(folder, tmp_path / "store", tmp_path)
    for name in [*here, "README"]:
        assert (tmp_path / f"{name}.md").read_text() == (AUDITS / f"{name}.md").read_text(), name


def test_the_table_of_the_readme_is_that_of_the_front_page():
    """Its rows are those of the page, in the same order; so is what it says of them."""
    readme, front = (ROOT / "README.md").read_text(), (AUDITS / "README.md").read_text()
    found = split_rows(readme, r"^\| \[.*docs/audits.*$")
    rows = split_rows(front, r"^\| \[.*$")
    wanted = [[row[0].replace("](", "](docs/audits/"), row[1], *row[3:8]] for row in rows]
    assert len(found) >= 10
    assert found == wanted
    [said] = re.findall(r"\*\*(In \d+ of \d+ the debate [^*]*)\*\*", readme)
    assert f"**{said}**" in front


def split_rows(page: str, row: str) -> list[list[str]]:
    found = re.findall(row, page, re.MULTILINE)
    return [re.split(r"\s*\|\s*", each)[1:-1] for each in found]
