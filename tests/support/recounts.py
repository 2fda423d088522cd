"""Recorded debates as plain data, and how to count in them without moot's metrics.

What an analysis says is counted again from the events of transcripts as ``moot export`` writes
them. Nothing of ``moot.metrics``, ``moot.analyses``, ``moot.parsing`` or ``moot.statistics`` is
used here.
"""

import asyncio
import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

from click.testing import CliRunner

import moot
from moot.cli.main import moot as cli


def value_of(answer, kind):
    """The value of an answer, the first of several; None for none."""
    if isinstance(answer, list):
        answer = answer[0]
    if answer is None:
        return None
    try:
        return Fraction(answer) if kind == "number" else answer.strip().casefold()
    except ValueError:
        return answer


class Recorded(SimpleNamespace):
    """One debate: ``right`` and ``said`` are the values of the right answer and the verdict."""

    @property
    def key(self):
        return self.question, self.replicate

    @property
    def is_right(self):
        return self.said is not None and self.said == self.right

    def value(self, turn):
        return value_of(turn.get("answer"), self.kind)

    @property
    def courses(self):
        """The values that each debater gave, in order, by seat."""
        minds = {seat["number"] for seat in self.seats if seat.get("debater", True)}
        found = defaultdict(list)
        for turn in self.turns:
            if turn["seat"] in minds and turn.get("votes", True):
                found[turn["seat"]].append(self.value(turn))
        return [found[seat] for seat in sorted(found)]


def read_debate(row):
    events = row["events"]
    by_kind = defaultdict(list)
    for event in events:
        by_kind[event["event"]].append(event)
    [opened] = by_kind["opened"]
    asked = opened["question"]
    closed = by_kind["closed"][0]["verdict"] if by_kind["closed"] else {}
    return Recorded(
        arm=row["arm"],
        dataset=row["dataset"],
        question=row["question"],
        replicate=row["replicate"],
        kind=asked["kind"],
        asked=asked,
        right=value_of(asked.get("answer"), asked["kind"]),
        settings=opened["settings"],
        opening=opened.get("opening", []),
        seats=[each["seat"] for each in by_kind["seated"]],
        turns=by_kind["turn"],
        nodes=by_kind["concluded"],
        notes=by_kind["noted"],
        said=value_of(closed.get("answer"), asked["kind"]),
        by=closed.get("by"),
        verdict=closed,
        failed=bool(by_kind["failed"]),
    )


class RecordedStudy:
    """A study that was held once in the store of a folder, with its debates as plain data."""

    def __init__(self, folder: Path, study, **given):
        self.folder, self.name = folder, study["name"]
        asyncio.run(moot.run(study, store=folder, **given))
        file = folder / f"{self.name}.jsonl"
        words = ["export", self.name, "--format", "jsonl", "--out", str(file)]
        done = CliRunner().invoke(cli, [*words, "--store", str(folder)])
        assert done.exit_code == 0, done.output
        rows = map(json.loads, file.read_text("utf-8").splitlines())
        self.debates = [read_debate(row) for row in rows]

    def analyse(self, name, **options):
        """Analyse it; every mean in the report says of how many it is one."""
        report = asyncio.run(moot.analyse(name, self.name, store=self.folder, **options))
        assert find_uncounted(report, name) == []
        return report

    def of(self, arm=None, dataset=None):
        """Debates of an arm, on a dataset, by question and replicate."""
        return [
            each
            for each in self.debates
            if arm in {None, each.arm} and dataset in {None, each.dataset}
        ]

    def pairs(self, one, other, dataset=None):
        """Debates of two arms on the same questions and replicates."""
        second = {(each.dataset, *each.key): each for each in self.of(other, dataset)}
        return [
            (each, second[key])
            for each in self.of(one, dataset)
            if (key := (each.dataset, *each.key)) in second
        ]


def share(values):
    """The mean over questions of means over their replicates; ``values`` are pairs of both."""
    by_question = defaultdict(list)
    for question, value in values:
        by_question[question].append(float(value))
    means = [sum(each) / len(each) for each in by_question.values()]
    return sum(means) / len(means) if means else None


def right_share(debates):
    return share((each.question, each.is_right) for each in debates)


def commonest(values):
    """The value that most gave, of a tie the first; None without one."""
    counts = Counter(each for each in values if each is not None)
    return max(counts, key=counts.get) if counts else None


def rows_of(table):
    """The rows of a table as dictionaries by the names of their columns, with ``band``."""
    return [
        {
            **{
                f"{column.group}: {column.name}" if column.group else column.name: cell
                for column, cell in zip(table.columns, row.cells, strict=True)
            },
            "band": row.band,
        }
        for row in table.rows
    ]


def write_every_form(report):
    """Write a report in each form in which it can be had, pictures of its first chart alone.

    A PNG and a PDF are made of the SVG.
    """
    from moot.reports.chart_style import ChartStyle
    from moot.reports.drawings import DEFINITION, PICTURES
    from moot.reports.renderings import RENDERINGS

    for form, rendering in RENDERINGS.items():
        drawn = form in (*PICTURES, DEFINITION)
        if form in {"png", "pdf"} or (drawn and not report.charts):
            continue
        written = report._replace(charts=report.charts[:1]) if drawn else report
        for name, content in rendering.write(written, ChartStyle()).items():
            whole = content if isinstance(content, bytes) else "".join(map(str, content)).encode()
            assert whole.strip(), (report.title, form)
            if name.endswith((".json", ".vl.json")):
                json.loads(whole)


def find_uncounted(report, name):
    """Where in its JSON a report has means without a number of what they are a mean of."""
    found = set()

    def walk(value, place):
        if isinstance(value, dict):
            counts = [value[name] for name in ("n", "questions", "pairs") if name in value]
            if value.get("mean") is not None and 0 in counts:
                found.add(place)
            for key, each in value.items():
                walk(each, f"{place}/{key}")
        elif isinstance(value, list):
            for each in value:
                walk(each, f"{place}/…")

    walk(json.loads(json.dumps(report.to_dict(), default=str)), name)
    return sorted(found)
