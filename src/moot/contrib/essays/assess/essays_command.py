"""``moot essays``: how diverse, how long and how persuasive the essays of a run are."""

from pathlib import Path

import click

from moot import Budget, InputError, RecordedRuns
from moot.contrib.essays.assess.assessment import Assessment, assess, models_asked
from moot.contrib.essays.assess.embeddings import add_embeddings, name_prices
from moot.contrib.essays.assess.model_judge import JUDGES, PROTOCOL, Judging
from moot.contrib.essays.run_essays import read_essays
from moot.extend.studies import Embedder, Estimate, estimate_run, open_lab
from moot.extend.terminal import (
    ExitCode,
    ReportOutput,
    confirm_estimate,
    console,
    exit_after,
    json_option,
    parse_prices,
    parse_settings,
    run_async,
    show_estimate,
    show_progress,
    store_option,
    summarise_estimate,
)
from moot.extend.words import make_visible, replace_surrogates


@click.command()
@click.argument("run")
@click.option("--judge", metavar="MODEL", help="Who lists points, grades and compares essays.")
@click.option("--points-judge", metavar="MODEL", help="Who lists points instead.")
@click.option("--relevance-judge", metavar="MODEL", help="Who judges relevance instead.")
@click.option("--preference-judge", metavar="MODEL", help="Who judges preference instead.")
@click.option("--judge-protocol", metavar="NAME", help="How it judges; single if not given.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of it.")
@click.option("--pairs", type=int, help="Essays of each method compared on a proposition; 1.")
@click.option("--grades", type=int, help="Essays of each method graded on a proposition; all.")
@click.option(
    "--prompts", type=click.Path(path_type=Path), help="Prompts laid over moot's for essays."
)
@click.option(
    "--embedder",
    default="embedded",
    show_default=True,
    help="Who makes embeddings: moot itself, or an endpoint's model, as in openai/NAME.",
)
@click.option("--max-cost", type=float, help="The most it may cost, in US dollars.")
@click.option("--max-calls", type=int, help="The most calls that may be paid for.")
@click.option(
    "--price",
    "priced",
    multiple=True,
    metavar="MODEL=INPUT,OUTPUT",
    help="What judge or embedder costs, in US dollars for a million tokens.",
)
@click.option("--dry-run", is_flag=True, help="Show what it would be asked; call nothing.")
@click.option("--yes", is_flag=True, help="Start without asking, whatever the estimate.")
@click.option(
    "--wait", is_flag=True, help="Where another process runs the same, wait for it and go on."
)
@ReportOutput.options
@store_option
@json_option
def essays(
    run: str,
    judge: str | None,
    points_judge: str | None,
    relevance_judge: str | None,
    preference_judge: str | None,
    judge_protocol: str | None,
    settings: tuple[str, ...],
    pairs: int | None,
    grades: int | None,
    prompts: Path | None,
    embedder: str,
    max_cost: float | None,
    max_calls: int | None,
    priced: tuple[str, ...],
    dry_run: bool,  # noqa: FBT001 -- click gives flags by position or name
    yes: bool,  # noqa: FBT001
    wait: bool,  # noqa: FBT001
    form: str,
    out: Path | None,
    force: bool,  # noqa: FBT001
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Tell how diverse, how long and how persuasive the essays of RUN are.

    Without a judge no model is asked but an endpoint's embedder. A judge lists the points of every
    essay, grades it by relevance and by preference from 1 to 5, and compares those of any two
    methods on a proposition by the same, in both orders. What it says is kept in a run of its own;
    a stopped one goes on when it is called again, and nothing is paid for twice. --max-cost and
    --max-calls count judge and embeddings together.
    """
    own = dict(zip(JUDGES, (points_judge, relevance_judge, preference_judge), strict=True))
    models = {about: replace_surrogates(model) for about, model in own.items() if model}
    numbers = {pairs, grades} - {None}
    if judge is None and (models or judge_protocol or settings or numbers or prompts or dry_run):
        raise InputError("there is no judge: say who judges with --judge MODEL")
    embed, budget = Embedder.find(embedder), Budget(cost=max_cost, calls=max_calls)
    prices = parse_prices(priced)
    asks = (judge is not None or embed.model is not None) and not dry_run

    async def ask() -> Assessment | None:
        async with open_lab(store, readonly=not asks, wait=wait) as lab:
            runs, judging = RecordedRuns(lab, [run]), None
            if judge is not None:
                judging = Judging(
                    runs.rows[0],
                    read_essays(runs).essays,
                    replace_surrogates(judge),
                    protocol=judge_protocol or PROTOCOL,
                    settings=parse_settings(settings),
                    models=models,
                    pairs=1 if pairs is None else pairs,
                    grades=grades,
                    prompts=prompts,
                    budget=budget,
                )
                known = name_prices(models_asked(lab, judging, embed), prices)
                expected = await estimate_run(judging, lab, known)
                expected = add_embeddings(expected, judging.essays, embed.model, known)
                if dry_run:
                    _show_plan(judging, expected, as_json=as_json)
                    return None
                if not as_json:
                    text = f"{judging.key}: {summarise_estimate(expected)}"
                    console(err=True).print(text, markup=False, soft_wrap=True)
                if not yes:
                    await confirm_estimate(judging.study, expected)
            shown = judging is not None
            async with show_progress(quiet=as_json or not shown, timed=shown) as display:
                return await assess(
                    runs,
                    embed=embed,
                    judging=judging,
                    budget=budget,
                    prices=prices,
                    watch=display.watch,
                )

    if (found := run_async(ask())) is None:
        return
    with exit_after(
        ExitCode.BUDGET if found.stopped else ExitCode.FAILED if found.failed else ExitCode.DONE
    ):
        form = "json" if as_json else form
        ReportOutput(form, out, force).give(found.report, study=run)


def _show_plan(judging: Judging, expected: Estimate, *, as_json: bool) -> None:
    show_estimate(expected, as_json=as_json, run=judging.key)
    for arm in () if as_json else judging.study.arms:
        asked = sum(task.arm is arm for task in judging.own_tasks)
        text = f"  {arm.name}: {asked:,} by {arm.protocol}, {arm.settings['model']}"
        console().print(make_visible(text), markup=False, soft_wrap=True)
