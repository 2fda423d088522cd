"""The commands that analyse recorded runs: they ask nothing, and print tables or JSON."""

from collections.abc import Callable, Iterable
from inspect import getdoc
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec.structs import replace

from moot.analyses.anchoring import read_outcomes
from moot.analyses.comparison import ArmComparison, compare_arms, tabulate_comparison
from moot.analyses.fidelity import Fidelity, measure_fidelity
from moot.analyses.fidelity_tables import tabulate_fidelity
from moot.analyses.judge_bias import JudgeBias, measure_judge_bias, tabulate_judge_bias
from moot.analyses.prejudice import Prejudice, measure_prejudice
from moot.analyses.prejudice_tables import tabulate_prejudice
from moot.analyses.transfer import Transfer, measure_transfer, tabulate_transfer
from moot.cli.console import catch_errors, json_option, print_json, run_async, say, store_option
from moot.cli.findings import find_in, format_option, print_report
from moot.core.errors import InputError
from moot.core.stored import RunRow, StudyRow
from moot.core.table import Report
from moot.ledger.sqlite_store import Store
from moot.reports.charting.chart_files import write_chart
from moot.reports.charts.side_bars import draw
from moot.studies.lab import open_lab

T = TypeVar("T")
Decorator = Callable[[Callable[..., Any]], Any]


def analysis_command(
    name: str, tabulate: Callable[[T], Report], *options: Decorator, note: str = ""
) -> Callable[[Callable[..., T]], click.Command]:
    """Make a command of a function that analyses one run.

    Args:
        name: of the command.
        tabulate: makes tables of what the function returns.
        options: those of the command besides the format, the store and JSON; the function takes
            them by name, after the store, the run and its study.
        note: what the help of the option for the format says besides.
    """

    def make(analyse: Callable[..., T]) -> click.Command:
        def command(
            run: str,
            form: str,
            store: str | None,
            as_json: bool,  # noqa: FBT001 -- click gives flags by name
            **given: object,
        ) -> None:
            found = find_in(run, store, lambda *known: analyse(*known, **given))
            if as_json:
                print_json(found)
            else:
                print_report(tabulate(found), form)

        made: Any = catch_errors(command)
        decorators = (*options, format_option(note), store_option, json_option)
        for decorator in reversed(decorators):
            made = decorator(made)
        return click.command(name, help=getdoc(analyse))(click.argument("run")(made))

    return make


@analysis_command("prejudice", tabulate_prejudice, note="; the others have the paper's tables too")
def prejudice(kept: Store, row: RunRow, study: StudyRow) -> Prejudice:
    """Tell how far the opening decides the verdicts of RUN.

    Arms that differ in opening alone are compared: accuracy by opening, how much it
    varies, and how often the verdict is the value that was put forward, against the
    open debates. Nothing is asked.
    """
    return measure_prejudice(
        read_outcomes(kept.debates(row.id)),
        arms=study.arms,
        run=row.key,
        name=row.name,
        simulated=study.simulated,
    )


@analysis_command(
    "judge-bias",
    tabulate_judge_bias,
    click.option(
        "--figures",
        "folder",
        metavar="FOLDER",
        type=click.Path(file_okay=False, path_type=Path),
        help="Also draw the figures, as SVG, into this folder.",
    ),
)
def judge_bias(kept: Store, row: RunRow, study: StudyRow, folder: Path | None) -> JudgeBias:
    """Tell whom the judges of RUN favour: a label, a persona, or a place.

    Of debates with an affirmative and a negative side. Nothing is asked.
    """
    found = measure_judge_bias(
        kept.values(row.id),
        arms=study.arms,
        run=row.key,
        name=row.name,
        simulated=bool(study.simulated),
    )
    if folder is not None:
        for chart in draw([found]):
            path = folder / f"{chart.name}.svg"
            write_chart(chart, path)
            say(str(path), err=True)
    return found


@analysis_command(
    "fidelity",
    tabulate_fidelity,
    click.option(
        "--margin",
        type=float,
        default=2.0,
        show_default=True,
        help="Percentage points of accuracy that count for nothing.",
    ),
    note="; the others have the paper's tables too",
)
def fidelity(kept: Store, row: RunRow, study: StudyRow, margin: float) -> Fidelity:
    """Tell how accuracy in RUN goes with agents, rounds, calls, tokens and money.

    Arms of one protocol that differ in their number of agents, samples or rounds
    alone make a curve: whether it rises, and from where on it no longer does. Also
    what temperatures do, and how many debates ended early. Nothing is asked.
    """
    return measure_fidelity(kept.values(row.id), study, run=row.key, margin=margin / 100)


@analysis_command(
    "transfer",
    tabulate_transfer,
    click.option(
        "--folds",
        type=int,
        default=5,
        show_default=True,
        help="Parts the questions are dealt into.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Of the dealing."),
    click.option(
        "--domain",
        "domains",
        multiple=True,
        metavar="NAME=DATASET[,…]",
        help="Datasets that belong together; without any, medical and other.",
    ),
    note="; the others have also each dataset and choice",
)
def transfer(
    kept: Store, row: RunRow, study: StudyRow, folds: int, seed: int, domains: tuple[str, ...]
) -> Transfer:
    """Choose each protocol's best arm on some questions of RUN, and score it on others.

    Others are the rest of the dataset, fold by fold; the domain's other datasets; or
    those of other domains. --domain can be repeated. Nothing is asked.
    """
    return measure_transfer(
        kept.values(row.id),
        arms=study.arms,
        run=row.key,
        name=row.name,
        simulated=bool(study.simulated),
        domains=_read_domains(domains),
        folds=folds,
        seed=seed,
    )


def _read_domains(domains: Iterable[str]) -> dict[str, list[str]]:
    """Return the datasets of each domain. Raises ``InputError`` for what names none."""
    named: dict[str, list[str]] = {}
    for each in domains:
        name, _, members = each.partition("=")
        found = [member.strip() for member in members.split(",") if member.strip()]
        if not name.strip() or not found:
            raise InputError(f"--domain {each}: write NAME=DATASET,DATASET")
        named.setdefault(name.strip(), []).extend(found)
    return named


@click.command()
@click.argument("run_a")
@click.argument("run_b", required=False)
@click.option(
    "--arm",
    "arms",
    multiple=True,
    metavar="A=B",
    help="Compare arm A of the first with arm B of the second; may be repeated.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="The most questions named that only one has right.",
)
@format_option()
@store_option
@json_option
@catch_errors
def compare(
    run_a: str,
    run_b: str | None,
    arms: tuple[str, ...],
    limit: int,
    form: str,
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Compare RUN_A with RUN_B on the questions both have debated.

    Arms of the same name are compared, or those that --arm names. Without RUN_B
    two arms of RUN_A, as in --arm single=society-of-minds.
    """

    async def read() -> tuple[ArmComparison, ...]:
        async with open_lab(store, readonly=True) as lab:
            return compare_arms(lab, run_a, run_b, arms=arms)

    found = run_async(read())
    if as_json:
        cut = {"only_first", "only_second"}
        print_json(
            [replace(each, **{name: getattr(each, name)[:limit] for name in cut}) for each in found]
        )
    else:
        print_report(tabulate_comparison(found, limit=limit), form)
