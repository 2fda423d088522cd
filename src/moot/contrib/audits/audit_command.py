"""``moot audit``: what a log claims, the same by its authors' rule, and by a right one."""

from functools import partial
from pathlib import Path

import click

from moot import RecordedRuns
from moot.contrib.audits.audit import Audit, audit_runs
from moot.contrib.audits.audit_report import make_report, write_json
from moot.contrib.audits.claims import find_claims, read_claims
from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import LogFormat, find_format
from moot.extend.studies import open_lab
from moot.extend.terminal import (
    OutputFile,
    ReportOutput,
    json_option,
    run_async,
    store_option,
)


@click.command("audit")
@click.argument("log", metavar="LOG|RUN")
@click.option(
    "--claim",
    metavar="FILE|PAPER:TABLE:ROW:COLUMN",
    help="What the authors state, as TOML or JSON, or a published value, such as "
    "'mad:table 2:ChatEval:MMLU'; the result files of the log, if not given.",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NAME",
    help="A rule of counting to try; all that fit the questions, if none.",
)
@click.option("--as", "named", metavar="FORMAT", help="Its format; found by a look if not given.")
@click.option("--mapping", type=click.Path(path_type=Path), help="As of moot import.")
@click.option("--name", metavar="RUN", help="The name of the run; the log's if not given.")
@store_option
@json_option
@ReportOutput.options
def audit(
    log: str,
    claim: str | None,
    rules: tuple[str, ...],
    named: str | None,
    mapping: Path | None,
    name: str | None,
    store: str | None,
    as_json: bool,  # noqa: FBT001 -- click gives flags by name
    form: str,
    out: Path | None,
    force: bool,  # noqa: FBT001 -- as above
) -> None:
    """Audit other people's debates: what they claim, by which rule, and what is so.

    LOG is a file, a folder or an archive, which is imported first; RUN is a run of the store.
    Three numbers stand side by side for each round: what is claimed, the same by the authors'
    rule, and by moot's reader and a majority vote; with every question on which the two rules
    disagree, and why.
    """
    claims = read_claims(claim) if claim else []
    files = Log(Path(log)) if Path(log).exists() else None
    find = None if files is None or claims else partial(find_claims, files.path)

    async def work() -> Audit:
        async with open_lab(store) as lab:
            run = log
            if files is not None:
                format_of_log = _find_format(files, named, mapping)
                run = (await import_log(lab, files, format_of_log, name=name)).run
            return audit_runs(RecordedRuns(lab, [run]), claims=claims, rules=rules, find=find)

    made = run_async(work())
    if as_json:
        for piece in write_json(made):
            OutputFile(None, "").write(piece)
    else:
        ReportOutput(form, out, force).give(make_report(made), study=f"audit {made.name}")


def _find_format(log: Log, named: str | None, mapping: Path | None) -> LogFormat:
    if mapping is None:
        return find_format(log, named)
    from moot.contrib.imports.mapping import read_mapping  # for logs of no known format alone

    return read_mapping(mapping)
