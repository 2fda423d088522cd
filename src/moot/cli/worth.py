"""``moot worth``: is a debate worth its tokens, on these questions?"""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NamedTuple

import click

from moot.analyses.method_table import build_method_table
from moot.cli.console import (
    BUDGET,
    DONE,
    FAILED,
    ExitCode,
    console,
    end_command,
    json_option,
    run_async,
    say,
    store_option,
)
from moot.cli.estimates import confirm_estimate, show_estimate, summarise_estimate
from moot.cli.progress_line import show_progress
from moot.cli.setting_options import parse_prices, price_option
from moot.cli.signals import Interrupted
from moot.cli.study_options import StudyOptions
from moot.core.display_text import (
    format_dollars,
    format_things,
    make_visible,
    on_one_line,
)
from moot.core.errors import InputError
from moot.core.questions import KINDS, Kind
from moot.core.results import Results
from moot.core.table_text import text_width
from moot.core.worth import MethodVerdict, Statement, Stopped
from moot.reports.cap_text import describe_caps
from moot.reports.terminal import show_table
from moot.runtime.budget import Budget
from moot.runtime.collector import collect_seldom
from moot.studies.forecast import Forecast, foresee
from moot.studies.lab import open_lab
from moot.studies.plan import Plan
from moot.studies.progress_counts import RunProgress
from moot.studies.study import Study
from moot.studies.study_run import compute_results, run_plan
from moot.studies.worth import compose_worth

EVERY = 0.2
_NAMED = 3
_CODES: dict[Stopped | None, ExitCode] = {"cap": BUDGET, "interrupted": FAILED}
"""Exit codes of studies that end for lack of money, or since their debates come to nothing."""
_IN_A_LOG = 80
"""Columns of a line where there is no terminal."""


class _Ended(NamedTuple):
    """The outcome of a run.

    Attributes:
        run: its key.
        results: with the answer.
        why: it stopped before its end, in words; may be empty.
        reasons: why debates failed, and how often.
    """

    run: str
    results: Results
    why: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def statement(self) -> Statement:
        """The answer."""
        assert self.results.statement
        return self.results.statement


@click.command()
@click.argument("questions")
@click.option(
    "--model",
    "models",
    multiple=True,
    help="Who debates; MOOT_MODEL, else the embedded model. Several take the seats in turn.",
)
@click.option(
    "--protocol",
    "protocols",
    metavar="NAME",
    multiple=True,
    help="A method to compare, also one of yours as mine.py; may be given more than once.",
)
@click.option(
    "--margin",
    type=float,
    default=5.0,
    show_default=True,
    help="Points within which a method counts as equal.",
)
@click.option("--max-cost", type=float, help="The most it may cost, in US dollars.")
@click.option("--max-calls", type=int, help="The most calls it may pay for.")
@click.option(
    "--max-tokens",
    "--max-total-tokens",
    "max_tokens",
    type=int,
    help="The most tokens it may take in all.",
)
@price_option
@click.option(
    "--block", type=int, default=20, show_default=True, help="Questions between two looks."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the questions' order.")
@click.option("--limit", type=int, help="The most questions that are drawn from.")
@click.option(
    "--columns",
    metavar="ROLE=COLUMN,...",
    help="Columns of a file, as question=Q,answer=A or question=Q,A=first,B=second,answer=A.",
)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    help="The form of all answers in a file; concluded from them, if not given.",
)
@click.option(
    "--skip-unreadable", is_flag=True, help="Leave out rows that cannot be read; say how many."
)
@click.option("--dry-run", is_flag=True, help="Show the price; call nothing.")
@click.option("--yes", is_flag=True, help="Start without asking, whatever the price.")
@store_option
@json_option
def worth(questions: str, **given: Any) -> None:  # noqa: ANN401 -- values of options
    """Find out whether debates are worth their tokens on QUESTIONS.

    QUESTIONS is a file with right answers (CSV, TSV, JSON, JSON lines, Parquet) or
    the name of a dataset. Each method is compared with a vote of as many tokens,
    question by question, until it is better or worse, or equal within the margin.
    Without --protocol: a plain debate and a council of three, beside one reply.

    Ctrl-C ends it at any time with a valid answer; run again to go on.
    """
    terms = _Terms(questions, **given)
    work = _Work(terms)
    if terms.dry_run:
        forecast = run_async(work.foresee())
        show_estimate(
            forecast.estimate,
            forecast.not_ready,
            as_json=terms.as_json,
            run=forecast.run,
            caps=forecast.caps,
        )
        return
    signal = 0
    try:
        with collect_seldom():
            run_async(work.run())
    except Interrupted as stop:
        if work.ended is None:
            raise
        signal = stop.number
    assert work.ended is not None
    code = 128 + signal if signal else _CODES.get(work.ended.statement.stopped, DONE)
    end_command(work.ended.statement, partial(_print, work.ended), code, as_json=terms.as_json)


class _Terms(NamedTuple):
    """The values of the command's options."""

    questions: str
    models: tuple[str, ...]
    protocols: tuple[str, ...]
    margin: float
    max_cost: float | None
    max_calls: int | None
    max_tokens: int | None
    priced: tuple[str, ...]
    block: int
    seed: int
    limit: int | None
    columns: str | None
    kind: Kind | None
    skip_unreadable: bool
    dry_run: bool
    yes: bool
    store: str | None
    as_json: bool

    def compose(self) -> Study:
        """Return the study, and say what was taken for what in a file of questions."""
        if not 0 < self.margin < 100:
            raise InputError(f"--margin {self.margin:g}: points above 0 and below 100, such as 5")
        composed = compose_worth(
            self.questions,
            model=self.models or None,
            protocols=self.protocols,
            margin=self.margin / 100,
            block=self.block,
            seed=self.seed,
            columns=parse_columns(self.columns),
            kind=self.kind,
            skip_unreadable=self.skip_unreadable,
            budget=Budget().lower(cost=self.max_cost, calls=self.max_calls, tokens=self.max_tokens),
            prices=parse_prices(self.priced),
        )
        for note in () if self.as_json else composed.notes:
            say(note, err=True)
        return composed.study


def parse_columns(text: str | None) -> dict[str, str]:
    """Return the columns by their roles. Raises ``InputError`` for what is not written so."""
    found = dict[str, str]()
    for part in text.split(",") if text else ():
        role, equals, column = part.partition("=")
        if not (equals and role.strip() and column.strip()):
            raise InputError(
                f"--columns: {part!r}: write ROLE=COLUMN, as in question=Question,answer=Label"
            )
        found[role.strip()] = column.strip()
    return found


class _Work:
    """A study, as the command runs it.

    Attributes:
        ended: what it came to; None before.
    """

    def __init__(self, terms: _Terms) -> None:
        self._study, self._store = terms.compose(), terms.store
        self._quiet, self._yes = terms.as_json, terms.yes
        self._plan = Plan(self._study, limit=terms.limit)
        self.ended: _Ended | None = None

    async def foresee(self) -> Forecast:
        """Return the estimate; call nothing."""
        async with open_lab(self._store, as_allowed=True) as lab:
            return await foresee(self._plan, lab)

    async def run(self) -> None:
        """Say what it will take, run it and take in its end, also where it is interrupted."""
        plan = self._plan
        async with open_lab(self._store, as_allowed=True) as lab:
            forecast = await foresee(plan, lab, check=False)
            if not self._quiet:
                self._tell_price(forecast)
            if not self._yes:
                await confirm_estimate(self._study, forecast.estimate)
            try:
                async with _show_line(plan, quiet=self._quiet) as line:
                    outcome = await run_plan(plan, lab, watch=line.watch, look=line.look)
            except asyncio.CancelledError:
                self.ended = _Ended(plan.key, compute_results(lab, plan.key))
                raise
            reasons = tuple(f"{many} failed: {why}" for why, many in outcome.reasons.items())
            self.ended = _Ended(plan.key, outcome.results, outcome.stopped or "", reasons)

    def _tell_price(self, forecast: Forecast) -> None:
        """Say on standard error which questions and methods there are, and the price at most."""
        terms, study = self._plan.sequential, self._study
        assert terms is not None
        unique = sum(map(len, terms.order.values()))
        methods = ", ".join(on_one_line(name, 40) for name in study.pools)
        out = console(err=True)
        asked = format_things(unique, "question")
        lines = [
            f"{asked}; a vote of as many tokens against {methods}",
            f"for all of them, {summarise_estimate(forecast.estimate)}",
            "it ends as soon as each method is settled",
            *describe_caps(forecast.caps),
        ]
        for each in lines:
            out.print(make_visible(each), markup=False, style="dim")


def _describe_methods(methods: Sequence[MethodVerdict]) -> Iterator[str]:
    """Yield texts on the state of the methods, from the longest to the number of open ones."""
    several = len({each.dataset for each in methods}) > 1
    names = [f"{each.arm}{f' on {each.dataset}' * several}" for each in methods]
    if len(methods) <= _NAMED:
        yield " · ".join(
            f"{name}{f' {each.class_}' * (each.class_ != 'open')} "
            f"{_round_percent(each.difference.low)} … {_round_percent(each.difference.high)}"
            for name, each in zip(names, methods, strict=True)
        )
        yield " · ".join(f"{name} {each.class_}" for name, each in zip(names, methods, strict=True))
    counts = Counter(each.class_ for each in methods)
    yield ", ".join(f"{number} {name}" for name, number in counts.most_common())


def _round_percent(share: float | None) -> str:
    """Return a difference in whole points, with its sign."""
    return "–" if share is None else f"{round(100 * share):+d}".replace("-", "−")


@asynccontextmanager
async def _show_line(plan: Plan, *, quiet: bool) -> AsyncIterator["_Line"]:
    """Show on standard error how far the study is, while it lasts."""
    line = _Line(plan, quiet=quiet)
    async with show_progress(quiet=True):  # what models fetch
        try:
            yield line
        finally:
            await line.close()


class _Line:
    """One line: the questions, each method's state, and what was spent.

    On a terminal it is live; else there is one for each block.
    """

    def __init__(self, plan: Plan, *, quiet: bool) -> None:
        terms = plan.sequential
        assert terms is not None
        self._unique = sum(map(len, terms.order.values()))
        self._quiet, self._states = quiet, [""]
        self._used = 0
        self._progress: RunProgress | None = None
        self._task: asyncio.Task[None] | None = None

    def watch(self, progress: RunProgress) -> None:
        """Begin to show."""
        self._progress = progress
        if not self._quiet and sys.stderr.isatty():
            self._task = asyncio.get_running_loop().create_task(self._show())

    def look(self, found: Statement) -> None:
        """Take in how the methods are after a block."""
        self._used = found.questions.used
        self._states = list(_describe_methods(found.methods))
        if not (self._quiet or sys.stderr.isatty()):
            say(self._describe(_IN_A_LOG), err=True)

    async def close(self) -> None:
        """End."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _describe(self, width: int) -> str:
        """Return the line, with as much of each method as there is room for; calls give way."""
        parts = [f"{self._used:,} of {format_things(self._unique, 'question')}"]
        if self._progress is not None:
            traffic = self._progress.traffic
            parts.append(f"{format_things(traffic.calls, 'call')}")
            if traffic.cost or traffic.unpriced:
                parts.append(format_dollars(traffic.cost) + " + unknown" * bool(traffic.unpriced))
            if self._progress.failed:
                parts.append(f"{self._progress.failed:,} failed")
        lines = [" · ".join([*parts, state] if state else parts) for state in self._states]
        lines.append(" · ".join(filter(None, (parts[0], self._states[-1]))))
        fitting = (line for line in lines if text_width(line) <= width)
        return next(fitting, on_one_line(lines[-1], width))

    async def _show(self) -> None:
        from rich.live import Live
        from rich.text import Text

        shown = console(err=True)
        with Live(console=shown, auto_refresh=False, transient=True) as live:
            while True:
                text = self._describe(shown.width - 1)
                live.update(Text(make_visible(text)), refresh=True)
                await asyncio.sleep(EVERY)


def _print(ended: _Ended) -> None:
    """Print the answer, its table and its warnings: some 20 lines of 80 columns."""
    out, found = console(), ended.statement
    if any(method.questions for method in found.methods):
        out.print(show_table(build_method_table(ended.results)))
    for reason in ended.reasons:
        out.print(make_visible(reason), markup=False, style="red")
    if ended.why:
        out.print(make_visible(ended.why), markup=False, style="yellow")
    for warning in found.warnings:
        out.print(make_visible(f"note: {warning.text}"), markup=False, style="dim")
    out.print(make_visible(found.sentence), markup=False, style="bold")
    StudyOptions.print_more(show=ended.run, report=ended.run)
