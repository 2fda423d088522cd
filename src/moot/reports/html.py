"""The report of a run as one HTML file that needs nothing but itself.

Everything that comes from questions and models is text: each value is neutralised by ``plain`` and
escaped as it is written, whichever template writes it, and the page's content security policy
allows no script and no style but the page's own, by hash.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import blake2b, sha256
from importlib.resources import files
from itertools import groupby
from typing import Any, NamedTuple

from moot.core.events import Transcript
from moot.core.results import ArmResult, Measure, Results
from moot.core.stored import DebateRow
from moot.metrics.metric import registry
from moot.reports import figures, plain
from moot.reports.nodes import PARTS, SWEEPS, groups, parts
from moot.reports.setup import Setup
from moot.reports.summary import caution, summary
from moot.reports.transcript import took

REPLY = 4_000
"""The most characters shown of a reply, a question or its context."""


class Shown(NamedTuple):
    """A debate in the report, decoded."""

    number: int
    arm: str
    replicate: int
    transcript: Transcript
    mark: str

    @property
    def sign(self) -> str:
        """The mark as one character."""
        return {"right": "✓", "wrong": "✗", "unparsed": "?", "failed": "!", "open": "·"}[self.mark]


class Asked(NamedTuple):
    """A question in the report, with its debates in the order of the arms."""

    dataset: str
    id: str
    debates: list[Shown]

    @property
    def differs(self) -> bool:
        """Whether its debates came out differently."""
        return len({debate.mark for debate in self.debates}) > 1


def html_report(
    results: Results,
    debates: Iterable[DebateRow] = (),
    *,
    transcripts: int,
    setup: Setup | None = None,
) -> Iterator[str]:
    """Write the report, in pieces.

    Args:
        results: of the run.
        debates: all of them, in any order; read once. If they are more than ``transcripts``, whole
            questions are drawn by a hash of their ids, so that every arm is shown on the same ones
            and the same run gives the same report.
        transcripts: how many debates are shown in full at most.
        setup: how the run was made; the report says it.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("moot.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    for function in (
        plain.count,
        plain.dollars,
        plain.duration,
        plain.line,
        plain.many,
        plain.p_value,
        cut,
    ):
        environment.filters[function.__name__] = function
    environment.filters["percent"] = plain.percent
    environment.globals.update(percent=plain.percent, span=plain.span)
    questions, seen = _draw(debates, transcripts)
    labels = {arm.arm: arm.label for arm in results.arms}
    asked = _decode(questions, list(labels))
    style, script = _own("report.css"), _own("report.js")
    template = environment.get_template("report.html")
    stream = template.stream(
        results=results,
        datasets=[_dataset(name, arms, results) for name, arms in results.datasets.items()],
        labels=labels,
        caution=caution(results),
        setup=setup,
        asked=asked,
        shown=sum(len(question.debates) for question in asked),
        seen=seen,
        reply=REPLY,
        took=took,
        groups=groups,
        about_parts=PARTS,
        about_sweeps=SWEEPS,
        flip_bar=figures.flip_bar,
        mark=figures.mark,
        style=Markup(style),  # noqa: S704  our own file
        script=Markup(script),  # noqa: S704  our own file
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'",
    )
    stream.enable_buffering(64)
    return iter(stream)


def _shown(value: object) -> object:
    """What is written for a value of a template; escaping comes after."""
    if value is None:
        return ""
    return plain.plain(value) if type(value) is str else value


def cut(text: str) -> str:
    """The beginning of a text too long to show, and how much is left out."""
    if len(text) <= REPLY:
        return text
    return f"{text[:REPLY]}… [{plain.many(len(text) - REPLY, 'more character')}]"


def _own(name: str) -> str:
    return files("moot.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _dataset(name: str, arms: list[ArmResult], results: Results) -> dict[str, Any]:
    return {
        "name": name,
        "arms": arms,
        "simulated": all(arm.simulated for arm in arms),
        "summary": summary(arms, results.baseline),
        "forest": figures.forest(arms, results.baseline),
        "scatter": figures.scatter(arms),
        "flips": [arm for arm in arms if arm.flips is not None],
        "networks": [(arm, parts(arm)) for arm in arms if arm.nodes],
        "swept": any(len(arm.sweeps) > 1 for arm in arms),
        "further": _further(arms),
    }


def _further(arms: list[ArmResult]) -> list[tuple[str, str, list[str]]]:
    """Every metric without a place of its own: name, what is shown, a value for each arm."""
    rows = []
    for name in sorted({name for arm in arms for name in arm.others}):
        known = registry.get(name) if name in registry.names() else None
        summed = known is not None and known.total == "sum"
        measures = [arm.others.get(name, Measure()) for arm in arms]
        values = [measure.total if summed else measure.mean for measure in measures]
        shown = ["–" if value is None else f"{value:,.4g}" for value in values]
        rows.append((name, f"{'sum' if summed else 'mean'}, {known.unit if known else ''}", shown))
    return rows


def _draw(debates: Iterable[DebateRow], most: int) -> tuple[list[DebateRow], int]:
    """The debates of the questions with the least hashes, as many as fit; and the number of all."""
    kept: dict[tuple[bytes, str, str], list[DebateRow]] = {}
    bar: tuple[bytes, str, str] | None = None
    rows = seen = 0
    for debate in debates:
        seen += 1
        digest = blake2b(f"{debate.dataset}\0{debate.question}".encode(), digest_size=8).digest()
        key = (digest, debate.dataset, debate.question)
        if bar is not None and key >= bar:
            continue
        kept.setdefault(key, []).append(debate)
        rows += 1
        while rows > most and len(kept) > 1:
            bar = max(kept)
            rows -= len(kept.pop(bar))
    return [debate for group in kept.values() for debate in group][:most], seen


def _decode(debates: list[DebateRow], arms: list[str]) -> list[Asked]:
    place = {arm: number for number, arm in enumerate(arms)}

    def natural(debate: DebateRow) -> tuple[object, ...]:
        words = re.split(r"(\d+)", debate.question)  # words and numbers in turn
        ids = tuple((int(word), "") if n % 2 else (0, word) for n, word in enumerate(words))
        return debate.dataset, ids, debate.question

    def by_arm(debate: DebateRow) -> tuple[int, str, int]:
        return place.get(debate.arm, len(place)), debate.arm, debate.replicate

    number, asked = 0, []
    ordered = sorted(sorted(debates, key=by_arm), key=natural)
    for (dataset, question), group in groupby(ordered, key=lambda d: (d.dataset, d.question)):
        shown = []
        for debate in group:
            number += 1
            transcript = debate.transcript
            shown.append(Shown(number, debate.arm, debate.replicate, transcript, mark(transcript)))
        asked.append(Asked(dataset, question, shown))
    return asked


def mark(transcript: Transcript) -> str:
    """How a debate came out: right, wrong, unparsed, failed, or open where nobody knows."""
    from moot.answers.same import correct

    verdict = transcript.verdict
    if verdict is None:
        return "failed"
    if verdict.answer is None:
        return "unparsed"
    if transcript.question.answer is None:
        return "open"
    return "right" if correct(verdict.answer, transcript.question) else "wrong"
