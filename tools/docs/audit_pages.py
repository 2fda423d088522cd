"""The pages of audits in ``docs/audits``: one for each log, and a front page with all of them.

python tools/docs/audit_pages.py ../shared/data/debates    make them anew, from a folder of logs

``audit_pages.toml`` says which logs have a page, and what their scripts do. A page has figures and
short quotations; no log is copied. The page and the row of a log that is not in the folder stay.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import msgspec

from moot.analyses.analysis import registry as analyses
from moot.analyses.recorded_runs import RecordedRuns
from moot.cli.console import run_async
from moot.contrib.audits.audit import Audit, audit_runs
from moot.contrib.audits.audit_report import is_shown, list_compared, make_report, name_round
from moot.contrib.audits.causes import CAUSES, Difference
from moot.contrib.audits.claims import find_claims, read_claim_file
from moot.contrib.audits.effects import Effects
from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.core.display_text import format_interval, format_p, format_percent, natural_sort_key
from moot.core.results import Difference as Gap
from moot.core.results import Mean
from moot.core.table import Report, ResultTable
from moot.reports.chart_files import render_chart
from moot.reports.markdown import escape_markdown, markdown_table
from moot.studies.lab import open_lab

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "audits"
TABLES = ("Three numbers", "What is then so", "Who changed whom", "Warnings")
"""The tables of an audit's report that stand in a page as they are."""
QUOTED = 3
"""Questions of each cause of which a page quotes the words that decide."""
WORDS = 90
"""The most signs of these words."""
REPLY = """\
This page speaks of numbers and of the code that made them, not of people. If something here is
wrong, open an issue with the name of this page; what is corrected stays in the page's history.
"""
FRONT = """\
# What published debates show

Is a debate better than a vote of its own first round? Logs that others published answer that
without a call: the agents' first replies are in them. Each row is such a log. Its page has what was
claimed, the same number by the rule of the authors' script and by moot's reader and a majority
vote, and every question on which the two differ.
"""

COLUMNS = (
    *("log", "n", "claimed %", "vote %", "debate %", "debate − vote"),
    *("read their way", "p", "smallest"),
)
HEAD = f"| {' | '.join(COLUMNS)} |\n|---|---:|---|---:|---:|---|---|---:|---:|"
NOTE = """
The vote is that of the debate's own first round, the debate its last; both are by moot's reader and
a majority vote, over n questions. *Read their way* is debate − vote again, with replies read as by
the authors' rule: where the two part, the reader moves the figure more than the debate does. Square
brackets are 95 % intervals over questions; p is exact, of debate − vote, and of each log alone: it
is not corrected for the number of logs. What is shown is bold. A claim in round brackets is none:
it is counted by the rule of the script, round by round.

Debates before judges, which no vote decides:
"""
FOOT = """
Your own log, or one that you read about: [audit a debate in five minutes](../import.md).
"""


_GAPS = re.compile(r"\n{3,}")
GAP = "\n\n"


class PageLog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A log that has a page.

    Attributes:
        folder: its name, and that of the page.
        title: of the page.
        what: the log in a few words.
        script: what the authors' scripts do, each with file and lines.
        files: those of the repository that are the log; empty where ``copy`` has it.
        copy: commands that put the log into its folder, from a clone named after its owner, too.
        claim: a file beside this one with what is claimed; empty for the log's own result files.
        analysis: which of moot's analyses the page shows in place of an audit.
        tables: the titles of its tables that the page has; those of an audit's page are fixed.
        shows: what it shows, in a sentence; the tables of the page have its figures.
    """

    folder: str
    title: str
    what: str
    files: tuple[str, ...] = ()
    copy: tuple[str, ...] = ()
    script: tuple[str, ...] = ()
    claim: str = ""
    analysis: str = ""
    tables: tuple[str, ...] = ()
    shows: str = ""


class _Source(msgspec.Struct, frozen=True):
    """Where a log comes from."""

    repo: str
    commit: str


class MadePage(NamedTuple):
    """A page with its picture.

    Attributes:
        log: whose page it is.
        audit: of the log; None for a page of another analysis.
        text: of the page.
        picture: its first chart as SVG; empty without one.
    """

    log: PageLog
    audit: Audit | None
    text: str
    picture: bytes


def list_logs() -> list[PageLog]:
    """Return the logs that have a page."""
    content = Path(__file__).with_suffix(".toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, list[PageLog]])["log"]


def audit_log(log: PageLog, folder: Path, store: Path) -> Audit:
    """Return the audit of a log in a folder of logs."""
    files = Log(folder / log.folder)
    claims = read_claim_file(Path(__file__).with_name(log.claim)) if log.claim else []
    find = None if claims else partial(find_claims, files.path)

    async def work() -> Audit:
        async with open_lab(store) as lab:
            run = await import_log(lab, files, find_format(files))
            return audit_runs(RecordedRuns(lab, [run.run]), claims=claims, find=find)

    return run_async(work())


def analyse_log(log: PageLog, folder: Path, store: Path) -> Report:
    """Return the report of a log's analysis."""
    files = Log(folder / log.folder)

    async def work() -> Report:
        async with open_lab(store) as lab:
            run = await import_log(lab, files, find_format(files))
            return analyses.get(log.analysis).apply(RecordedRuns(lab, [run.run]), {})

    return run_async(work())


def make_page(log: PageLog, folder: Path, store: Path) -> MadePage:
    """Return the page of a log in a folder of logs."""
    content = (folder / log.folder / "SOURCE.json").read_bytes()
    source = msgspec.json.decode(content, type=_Source)
    if log.analysis:
        return _make_analysis_page(log, analyse_log(log, folder, store), source)
    audit = audit_log(log, folder, store)
    report = make_report(audit)
    tables = {table.title: table for table in report.tables}
    sentence, *findings = report.findings
    parts = [
        f"# {log.title}\n",
        f"{escape_markdown(sentence)}\n",
        f"{log.what} {_name_source(source)} {_name_claim(audit)}\n",
        *_show(tables["Three numbers"]),
        f"![{report.charts[0].title}, for each round](figures/{log.folder}.svg)\n",
        "\n".join(f"- {escape_markdown(each)}" for each in findings) + "\n",
        *(part for name in TABLES[1:] if name in tables for part in _show(tables[name])),
        *_write_reasons(log, audit),
        *_write_disputed(audit),
        *_write_rules(audit),
        *_write_end(
            log,
            source,
            f"moot audit {log.folder}/ --format html --out path/to/{log.folder}.html",
        ),
    ]
    return MadePage(log, audit, "\n".join(parts), render_chart(report.charts[0], "svg"))


def _make_analysis_page(log: PageLog, report: Report, source: _Source) -> MadePage:
    """Return a page of one of moot's analyses."""
    tables = {table.title: table for table in report.tables}
    picture = report.charts[:1]
    parts = [
        f"# {log.title}\n",
        f"{log.shows}\n",
        f"{log.what} {_name_source(source)}\n",
        *(f"![{each.title}](figures/{log.folder}.svg)\n" for each in picture),
        *(f"- {escape_markdown(each)}" for each in report.findings),
        "",
        *(part for name in log.tables for part in _show(tables[name])),
        "## What their files say\n",
        *(f"- {each}" for each in log.script),
        "",
        *_write_end(
            log, source, f"moot import {log.folder}/", f"moot analyse {log.analysis} {log.folder}"
        ),
    ]
    drawn = render_chart(picture[0], "svg") if picture else b""
    return MadePage(log, None, "\n".join(parts), drawn)


def _write_fetch(log: PageLog, source: _Source) -> Iterator[str]:
    """Yield the commands that put a log's files, as they were published, into a folder."""
    name, into = source.repo.rpartition("/")[2], ""
    if log.copy:
        name = source.repo.replace("/", "-")
        into = f" {name}"
    yield (
        f"git clone https://github.com/{source.repo}{into} "
        f"&& git -C {name} checkout {source.commit}"
    )
    if log.files:
        yield f"mkdir {log.folder}"
    yield from (f"cp {name}/{file} {log.folder}/" for file in log.files)
    yield from log.copy


def _write_end(log: PageLog, source: _Source, *commands: str) -> Iterator[str]:
    """Yield how a page's figures are made again, and where to reply."""
    lines = "\n".join([*_write_fetch(log, source), *commands])
    yield "## Do it again\n"
    done = "analysed" if log.analysis else "audited"
    yield f"The log lies in its authors' repository; it is fetched from there and {done} by\n"
    yield f"```sh\n{lines}\n```\n"
    if not log.analysis:
        yield "makes one file with all disputed questions and the rows to recompute every figure.\n"
    yield f"## Reply\n\n{REPLY}"


def _name_source(source: _Source) -> str:
    return f"From github.com/{source.repo}, commit {source.commit[:7]}."


def _name_claim(audit: Audit) -> str:
    return f"Claimed in `{audit.source}`." if audit.source else "It states no figure."


def _show(table: ResultTable) -> Iterator[str]:
    """Yield a table in Markdown, one heading higher."""
    title = f"{table.title[0].upper()}{table.title[1:]}"
    text = "\n".join(markdown_table(table._replace(title=title))).strip()
    yield f"##{_GAPS.sub(GAP, text.removeprefix('###'))}\n"


def _write_reasons(log: PageLog, audit: Audit) -> Iterator[str]:
    if audit.causes or log.script:
        yield "## Why they differ\n"
    if log.script:
        yield "\n".join(f"- {each}" for each in log.script) + "\n"
    if audit.causes:
        yield "| cause | questions | |\n|---|---:|---|"
        for cause, number in audit.causes.items():
            yield f"| {cause} | {number} | {CAUSES[cause]} |"  # type: ignore[index]
        yield "\nA question counts once in each round.\n"


def _write_disputed(audit: Audit) -> Iterator[str]:
    """Yield the disputed questions: a few of each cause with the words that decide."""
    if not audit.differences:
        return
    yield "## Disputed questions\n"
    yield "| question | round | cause | words that decide | right | read as | moot reads |"
    yield "|---|---|---|---|---|---|---|"
    ordered = sorted(audit.differences, key=lambda each: natural_sort_key(each.question))
    rest = list[str]()
    for cause in audit.causes:
        own = [each for each in ordered if each.cause == cause]
        yield from (_write_difference(each) for each in own[:QUOTED])
        if own[QUOTED:]:
            rest.append(f"{cause}: {_list_questions(own[QUOTED:])}.")
    if rest:
        yield "\nThe others, with their rounds: " + " ".join(rest)
    yield ""


def _write_difference(each: Difference) -> str:
    words = each.words if len(each.words) <= WORDS else f"…{each.words[-WORDS:]}"
    cells = [
        each.question,
        name_round(each.round),
        each.cause,
        escape_markdown(words) or "–",
        escape_markdown(each.right[-24:]),
        escape_markdown(each.read_as or "–"),
        escape_markdown(each.answer or "–"),
    ]
    return f"| {' | '.join(cells)} |"


def _list_questions(own: Sequence[Difference]) -> str:
    grouped = groupby(own, key=attrgetter("question"))
    return ", ".join(
        f"{question} ({', '.join(name_round(each.round) for each in same)})"
        for question, same in grouped
    )


def _write_rules(audit: Audit) -> Iterator[str]:
    yield "## Rules\n"
    shown = [each for each in audit.tried if each.name == audit.rule or ":" not in each.name]
    number = len(audit.tried)
    if audit.source:
        fit = ", ".join(f"`{name}`" for name in audit.fitting) or "none"
        yield f"Of {number} rules tried these fit the claim: {fit}. That a rule fits does not say"
        yield "that it was used: of so many some fit by chance.\n"
    yield "| rule | % by round | what it does |\n|---|---|---|"
    for each in shown:
        shares = ", ".join(format_percent(share) for share in each.shares)
        yield f"| `{each.name}` | {shares} | {escape_markdown(each.about)} |"
    yield ""


def write_front(pages: Sequence[MadePage], before: str = "") -> str:
    """Return the front page: one table over all logs.

    Args:
        pages: those that are made.
        before: the front page as it was: rows of other pages stay.
    """
    made = {page.log.folder: _write_line(page) for page in pages}
    lines = dict[str, str]()
    for log in list_logs():
        old = next((each for each in before.splitlines() if f"]({log.folder}.md)" in each), "")
        lines[log.folder] = made.get(log.folder, old)
    rows = [line for line in lines.values() if line.startswith("|")]
    others = [line for line in lines.values() if line.startswith("-")]
    return "\n".join([FRONT, f"{_sum_up(rows)}\n", HEAD, *rows, NOTE, *others, FOOT])


def _write_line(page: MadePage) -> str:
    """Return what the front page has of a log: a row for an audit, a line for another analysis."""
    if page.audit is None:
        return f"- [{page.log.title}]({page.log.folder}.md): {page.log.shows}"
    [compared] = list_compared(page.audit)
    return _write_row(page, page.audit, compared)


def _sum_up(rows: Sequence[str]) -> str:
    """Return what all rows show, in one sentence."""
    better, worse = (sum(f"| **{sign}" in row for row in rows) for sign in "+−")
    return (
        f"**In {better or 'none'} of {len(rows)} the debate is shown to be better than the vote of "
        f"its own first round, in {worse or 'none'} to be worse.** Beside it stands the smallest "
        "difference that each log would have shown four times in five: most are too small for what "
        "they were made to show."
    )


def _write_row(page: MadePage, audit: Audit, each: Effects) -> str:
    gap = each.against_vote
    own = [figure for figure in audit.figures if figure.setting == each.setting]
    claimed = _list_shares([figure.claimed for figure in own])
    counted = _list_shares([figure.by_their_rule for figure in own])
    cells = [
        f"[{page.log.title}]({page.log.folder}.md)",
        str(gap.questions),
        claimed or (f"({counted})" if counted else "–"),
        format_percent(each.vote.mean),
        format_percent(each.debate.mean),
        f"**{_bracket(gap)}**" if is_shown(gap) else _bracket(gap),
        _bracket(each.read_their_way) if each.read_their_way else "–",
        format_p(gap.p),
        format_percent(gap.smallest),
    ]
    return f"| {' | '.join(cells)} |"


def _list_shares(means: Sequence[Mean | None]) -> str:
    """Return shares round by round; empty where none is known."""
    if not any(means):
        return ""
    return " → ".join("–" if mean is None else format_percent(mean.mean) for mean in means)


def _bracket(gap: Gap) -> str:
    """Return a difference in points with its interval."""
    ends = format_interval(gap.low, gap.high, sign=True).replace(" … ", ", ")
    return f"{format_percent(gap.mean, sign=True)} [{ends}]"


def write_pages(folder: Path, store: Path, into: Path = PAGES) -> None:
    """Write the pages of the logs in a folder, their pictures, and the front page."""
    own = [log for log in list_logs() if (folder / log.folder).is_dir()]
    made = [make_page(log, folder, store) for log in own]
    (into / "figures").mkdir(parents=True, exist_ok=True)
    for page in made:
        (into / f"{page.log.folder}.md").write_text(page.text, "utf-8")
        if page.picture:
            (into / "figures" / f"{page.log.folder}.svg").write_bytes(page.picture)
    front = PAGES / "README.md"
    before = front.read_text("utf-8") if front.exists() else ""
    (into / "README.md").write_text(write_front(made, before), "utf-8")


def main() -> None:
    """Read the options, and write the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the folder of logs")
    parser.add_argument("--store", type=Path, default=Path(".moot"), help="where they are imported")
    options = parser.parse_args()
    write_pages(options.folder, options.store)


if __name__ == "__main__":
    main()
