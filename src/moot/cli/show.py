"""``moot show``: the results of a run, and its transcripts."""

from collections import Counter
from datetime import datetime

import click
from msgspec import to_builtins

from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.run_reports import report_in_terminal
from moot.cli.analyse import print_answer, print_reports
from moot.cli.console import (
    complete_run,
    console,
    json_option,
    name_command,
    print_json,
    run_async,
    say,
    store_option,
)
from moot.core.display_text import make_visible
from moot.core.named_values import describe_surplus
from moot.core.stored import DebateRow, decode_study
from moot.debate.debate_settings import describe_features
from moot.ledger.store_place import describe_place
from moot.reports.transcript import show_transcript
from moot.studies.asked_values import AskedValues
from moot.studies.carrying import describe_batched, describe_open
from moot.studies.lab import Lab, open_lab
from moot.studies.study_run import compute_results


@click.command()
@click.argument("run", required=False, shell_complete=complete_run)
@click.argument("question", required=False)
@click.option("--arm", help="Of this arm alone.")
@click.option("--thought", is_flag=True, help="With the hidden thought of reasoning models.")
@store_option
@json_option
def show(
    run: str | None,
    question: str | None,
    arm: str | None,
    *,
    thought: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Show a run's results, or the transcripts of QUESTION.

    Without RUN, list the runs.

    RUN is a run's id, the beginning of it, or a study's name: then its newest run.
    """
    run_async(_show(run, question, arm, store, thought=thought, as_json=as_json))


async def _show(
    run: str | None,
    question: str | None,
    arm: str | None,
    store: str | None,
    *,
    thought: bool,
    as_json: bool,
) -> None:
    async with open_lab(store, readonly=True) as lab:
        if run is None:
            _list(lab, as_json=as_json)
        elif question is None and lab.store.find_run(run).name != "ask":
            _results(lab, run, as_json=as_json)
        else:
            _transcripts(lab, run, question, arm, thought=thought, as_json=as_json)


def _list(lab: Lab, *, as_json: bool) -> None:
    rows = [(row, datetime.fromtimestamp(row.created).astimezone()) for row in lab.store.runs()]
    if as_json:
        told = [
            {
                "run": row.key,
                "name": row.name,
                "created": when.isoformat(timespec="seconds"),
                "status": row.status,
                "process": None if row.session is None else row.session.process,
                "simulated": bool(study.simulated),
                **({"source": study.source} if study.source else {}),
            }
            for row, when in rows
            for study in [decode_study(row)]
        ]
        print_json(told)
        return
    wide = max((len(row.key) for row, _ in rows), default=0)
    for row, when in rows:
        study = decode_study(row)
        label = study.origin or "simulated" * bool(study.simulated)
        label = make_visible(f"  {label}") if label else ""
        say(f"{row.key:<{wide}}  {when:%Y-%m-%d %H:%M}  {row.described_status}{label}")
    if not rows:
        say(f"no runs in {describe_place(lab.place)}; moot run demo makes the first")


def _results(lab: Lab, run: str, *, as_json: bool) -> None:
    if as_json:
        print_json(RecordedRuns(lab, [run]).whole)
        return
    runs = RecordedRuns(lab, [run])
    results = runs.select(compute_results(lab, run))
    out = console()
    reports = report_in_terminal(runs, results)
    print_reports(reports)
    row = lab.store.find_run(run)
    if row.status != "done":
        so_far = sum(arm.n for arm in results.arms)
        say(f"{row.described_status}: these are the {so_far:,} debates that it has held so far")
    if batched := describe_batched(results):
        say(batched)
    for told in describe_open(lab.store.batches.list_open(row.id)):
        say(told)
    for reason, times in _reasons(lab, row.id, sum(arm.failed for arm in results.arms)):
        out.print(make_visible(f"{times} failed: {reason}"), markup=False, style="red")
    held = list(lab.store.values(row.id))
    if newer := describe_surplus(each.values for each in held):
        say(newer)
    for told in describe_features(runs.arms):
        say(make_visible(told))
    questions = sorted({each.question for each in held})
    more = f" … {len(questions) - 3} more" if len(questions) > 3 else ""
    print_answer(results)
    if questions:
        named = ", ".join(questions[:3])
        say(f"transcripts: {name_command('show', run)} QUESTION, e.g. {named}{more}")


def _reasons(lab: Lab, run: int, failed: int) -> list[tuple[str, int]]:
    """Return each reason why debates failed, and its number. Reads transcripts only if any did."""
    rows = lab.store.debates(run) if failed else ()
    ends = (row.transcript.failed for row in rows if row.failed)
    return Counter(end.reason for end in ends if end is not None).most_common()


def _transcripts(
    lab: Lab,
    run: str,
    question: str | None,
    arm: str | None,
    *,
    thought: bool,
    as_json: bool,
) -> None:
    found = lab.store.find_debates(run, question, arm)
    if as_json:
        asked = AskedValues(lab, lab.store.find_run(run))
        for _ in asked.measure(question):
            pass
        found = list(asked.complete(lab.store.find_debates(run, question, arm)))
        print_json([{"arm": row.arm, "dataset": row.dataset, **_open(row)} for row in found])
        return
    out = console()
    for row in found:
        out.rule(f"{row.arm} · {row.dataset} · replicate {row.replicate}")
        out.print(show_transcript(row.transcript, thought=thought))


def _open(row: DebateRow) -> dict[str, object]:
    return {
        "question": row.question,
        "replicate": row.replicate,
        "values": dict(row.values),
        "events": to_builtins(row.transcript.events),
    }
