"""``moot judge``: people prefer one of two answers, blind, in the terminal or on a page."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from moot import InputError, StoreError, UnknownName
from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.contrib.judging.judging_terminal import judge_in_terminal, show_result
from moot.contrib.judging.pairs import PairPlan
from moot.contrib.judging.preferences import ONESELF
from moot.contrib.judging.session import JudgingSession
from moot.contrib.server.server_options import address_options, token_option
from moot.extend.calls import Registry
from moot.extend.records import decode_study
from moot.extend.studies import open_lab
from moot.extend.terminal import OutputFile, json_option, run_async, say, store_option
from moot.extend.words import escape_json, format_things

WAYS: Registry[click.Command] = Registry("way of judging", "", group="moot.judging")
"""Commands that judge the runs of a part, by the name of a setting that only such runs have."""
COLUMNS = (
    *("rater", "dataset", "question", "replicate", "solo", "council", "first", "choice", "time"),
    "counts",
)
"""Of each choice: ``first`` is the side that was shown first; ``time`` is UTC, in ISO 8601;
``counts`` whether it is the rater's last of this pair, and not taken back."""
_GIVEN = "moot.judge"


class JudgeOptions(NamedTuple):
    """The options of judging pairs."""

    rater: str
    margin: float
    is_page: bool
    raters: tuple[str, ...]
    host: str
    port: int
    token_env: str | None
    store: str | None


class JudgeCommand(click.Command):
    """A command that hands a run to the part that has a way of its own to judge it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were given, for another command."""
        ctx.meta[_GIVEN] = [*args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- click's
        """Invoke the command of the run's part, else this one."""
        run, store = ctx.params["run"], ctx.params["store"]
        other = None if Path(run).exists() else _find_way(run, store)
        if other is None:
            return super().invoke(ctx)
        with other.make_context(ctx.info_name, ctx.meta[_GIVEN], parent=ctx.parent) as inner:
            return other.invoke(inner)


def _find_way(run: str, store: str | None) -> click.Command | None:
    """Return the command of the part that a run is of; None for a run of pairs."""

    async def read() -> set[str]:
        async with open_lab(store, readonly=True) as lab:
            study = decode_study(lab.store.find_run(run))
            return {name for arm in study.arms for name in arm.settings}

    if not (plugins := WAYS.plugins):
        return None
    try:
        settings = run_async(read())
    except UnknownName as error:
        raise InputError(f"{run}: no file, and no run of the store: {error}") from None
    except StoreError as error:
        raise InputError(f"{run}: no file is there; and as a run: {error}") from None
    found = next((each.load() for each in plugins if each.name in settings), None)
    return found if isinstance(found, click.Command) else None


@click.command(cls=JudgeCommand)
@click.argument("run", metavar="LOG|RUN|PAIRS")
@click.option("--arms", metavar="SOLO,COUNCIL", help="The two arms that are compared.")
@click.option("--solo", default="", metavar="MEMBER", help="Whose first reply is the single one.")
@click.option("--sample", type=click.IntRange(min=1), help="The most questions, drawn from all.")
@click.option("--replicate", type=click.IntRange(min=0), default=0, show_default=True,
              help="The repetition of each question.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of the order of questions.")
@click.option("--margin", type=click.FloatRange(0, 100), default=20, show_default=True,
              help="The greatest difference in points that counts as equal.")  # fmt: skip
@click.option("--rater", default=ONESELF, show_default=True, help="Your name in the terminal.")
@click.option("--page", is_flag=True, help="Serve a page instead of asking in the terminal.")
@click.option("--raters", metavar="NAME,…", help="Who may judge on the page; prints their links.")
@address_options(8644)
@token_option
@click.option("--as", "named", metavar="FORMAT", help="The format of a log; found by a look.")
@click.option("--result", is_flag=True, help="Say what is known by now, and ask nobody.")
@click.option("--export", "file", metavar="FILE",
              type=click.Path(dir_okay=False, path_type=Path),
              help="Write every choice to a new .csv or .json, and ask nobody.")  # fmt: skip
@store_option
@json_option
def judge(
    run: str,
    arms: str | None,
    named: str | None,
    margin: float,
    raters: str | None,
    file: Path | None,
    result: bool,  # noqa: FBT001 -- click gives flags by name
    as_json: bool,  # noqa: FBT001 -- as above
    page: bool,  # noqa: FBT001 -- as above
    rater: str,
    host: str,
    port: int,
    token_env: str | None,
    store: str | None,
    **drawn: Any,  # noqa: ANN401 -- the other fields of the plan
) -> None:
    """Judge two answers side by side, blind: the council's and a single reply.

    LOG is the history of a council, such as llm-council's, or any log that moot import reads; PAIRS
    a table with the columns question, solo, council; RUN a run of the store. No right answers are
    needed. One key chooses; every choice is in the store at once. It ends as soon as it is settled
    which answers are preferred, and goes on where it was when it is called again.

    A run of essays goes to the page on which people rank essays, with the same options.
    """
    plan = PairPlan(run, _split_names(arms, "--arms"), **drawn)
    invited = _split_names(raters, "--raters")
    is_page = page or bool(invited)
    options = JudgeOptions(rater, margin / 100, is_page, invited, host, port, token_env, store)
    if Path(run).exists():
        plan = plan._replace(run=_import(Path(run), named, store))
    if file is not None or result or as_json:
        run_async(_tell(plan, options, file, as_json=as_json))
    elif options.is_page:
        _serve(plan, options)
    else:
        run_async(_ask(plan, options))


def _import(path: Path, named: str | None, store: str | None) -> str:
    """Make a run of a log, or find it; return its key."""
    log = Log(path)
    form = find_format(log, named)

    async def work() -> str:
        async with open_lab(store) as lab:
            found = await import_log(lab, log, form)
            if not found.is_known:
                count = format_things(found.questions, "question")
                say(f"{found.source}: {count}, read as {form.name}; run {found.run}", err=True)
                for each in found.unread:
                    say(f"  left out: {each.place} {each.why}", err=True)
            return found.run

    return run_async(work())


async def _ask(plan: PairPlan, options: JudgeOptions) -> None:
    """Ask in the terminal."""
    async with open_lab(options.store) as lab:
        session = await JudgingSession.open(lab, plan, margin=options.margin)
        await judge_in_terminal(session, await session.enrol(options.rater))


async def _tell(plan: PairPlan, options: JudgeOptions, file: Path | None, *, as_json: bool) -> None:
    """Say what is known by now, or write every choice."""
    async with open_lab(options.store, readonly=True) as lab:
        session = await JudgingSession.open(lab, plan, margin=options.margin)
        if file is not None:
            _export(session, file)
            return
        if as_json:
            encoded = msgspec.json.format(msgspec.json.encode(session.result()))
            OutputFile(None, "").write(escape_json(encoded.decode()) + "\n")
            return
        show_result(session.result(), session, whole=True)


def _export(session: JudgingSession, path: Path) -> None:
    """Write one row for each choice that was entered, and print the path."""
    file = OutputFile(path, "--export")
    file.check(advice="exists already: name another file, or remove it")
    rows, last = [], dict[object, int]()
    entries, match = session.entries(), session.pairs.match
    for number, (rater, each) in enumerate(entries):
        time = datetime.fromtimestamp(each.created, UTC).isoformat(timespec="milliseconds")
        last[rater, each.pair] = number
        rows.append((rater, *each.pair, *match, each.first, each.choice, time))
    counts = {number for number in last.values() if entries[number][1].choice != "undo"}
    file.write_rows(COLUMNS, [(*row, number in counts) for number, row in enumerate(rows)])
    say(f"{format_things(len(rows), 'choice')} written", err=True)


def _serve(plan: PairPlan, options: JudgeOptions) -> None:
    """Serve the page until a signal comes."""
    try:
        from moot.contrib.judging.judging_server import serve_judging
        from moot.contrib.server.config import config_from, with_options
    except ModuleNotFoundError as error:  # the extra "serve", which the terminal does not need
        raise InputError(
            f"moot judge --page needs {error.name}, which is not installed: "
            "pip install 'moot[serve]'"
        ) from None
    config = with_options(config_from(), token_env=options.token_env)
    run_async(
        serve_judging(
            config,
            plan,
            raters=options.raters,
            margin=options.margin,
            host=options.host,
            port=options.port,
            store=options.store,
        )
    )


def _split_names(text: str | None, option: str) -> tuple[str, ...]:
    """Return names separated by commas. Raises ``InputError`` where one is missing."""
    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputError(f"{option} {text}: a name is missing: write {option} NAME,NAME")
    return names
