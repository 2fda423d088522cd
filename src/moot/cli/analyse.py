"""``moot analyse``: any analysis of recorded runs, in any form. Nothing is asked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import click
from click.core import ParameterSource

from moot.analyses.analysis import Analysis, registry
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.worth import describe_worth
from moot.cli.console import (
    complete_run,
    console,
    name_command,
    print_json,
    print_text,
    run_async,
    say,
    store_option,
)
from moot.cli.setting_options import CommandFunction, add_options
from moot.core.display_text import make_visible, on_one_line
from moot.core.errors import InputError
from moot.core.files import Content, output_error, split_content, write_file
from moot.core.results import Results
from moot.core.table import Report, ResultTable
from moot.debate.protocol_settings import SettingInfo
from moot.reports.chart_files import SUFFIXES
from moot.reports.chart_style import ChartStyle, Theme, parse_style
from moot.reports.renderings import RENDERINGS
from moot.reports.terminal import show_ending, show_report
from moot.studies.lab import open_lab

selection_options = add_options(
    click.option(
        "--arm", "arms", multiple=True, metavar="NAME", help="An arm, a protocol, or a pattern."
    ),
    click.option("--dataset", "datasets", multiple=True, metavar="NAME", help="A dataset."),
)
"""``--arm`` and ``--dataset``: what of the runs is looked at; both may be repeated."""

_FORM_OPTIONS = add_options(
    click.option(
        "--format",
        "form",
        type=click.Choice(("text", *RENDERINGS)),
        default="text",
        show_default=True,
        help="The form.",
    ),
    click.option("--out", type=click.Path(path_type=Path), help="The file or folder it goes to."),
    click.option("--force", is_flag=True, help="Write over files of these names that differ."),
)

style_options = add_options(
    click.option(
        "--theme",
        type=click.Choice(get_args(Theme)),
        default="light",
        help="The colours of charts.  [default: light]",
    ),
    click.option(
        "--width",
        default="720",
        metavar="column|page|PIXELS",
        help="The width of charts; that of a paper's column is 85 mm, of its page 175 mm.  "
        "[default: 720]",
    ),
    click.option("--height", type=int, help="The height of a panel of charts."),
    click.option(
        "--no-whiskers",
        "whiskers",
        flag_value=False,
        type=bool,
        default=True,
        help="Draw charts without intervals.",
    ),
)
"""``--theme``, ``--width``, ``--height`` and ``--no-whiskers``, as ``parse_style`` takes them."""


SHOWN = 40
"""The most rows of a table at the end of a run, and of one that is shown."""

LINES = 18
"""The most lines of the answer and the table at the end of a run; two are left for what follows."""

_LONGEST = 60
"""The most characters of the studies' names that a file's name begins with."""


class AnalysisGroup(click.Group):
    """The analyses as commands: what is registered is a command, with its options as flags."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- as click calls it
        """Return the names of all analyses."""
        return registry.names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002
        """Make the command of an analysis.

        Raises:
            UnknownName: there is none of this name.
        """
        return make_command(registry.get(cmd_name))


@click.group(cls=AnalysisGroup, invoke_without_command=True)
@click.option("--list", "listed", is_flag=True, help="List the analyses with their sources.")
@click.option("--of", "run", metavar="RUN", help="List those that RUN can be given.")
@click.option("--json", "as_json", is_flag=True, help="The list as JSON.")
@store_option
@click.pass_context
def analyse(
    ctx: click.Context,
    *,
    listed: bool,
    run: str | None,
    as_json: bool,
    store: str | None,
) -> None:
    """Analyse recorded runs.

    moot analyse NAME RUN... gives the tables, charts and findings of any analysis; nothing is
    asked.
    """
    if ctx.invoked_subcommand is None:
        lacking = run_async(_find_lacks(run, store)) if run else {}
        _list(registry.all(), lacking, as_json=as_json)
    elif listed or as_json or run:
        raise InputError("--list, --of and --json stand alone: moot analyse --list")


async def _find_lacks(run: str, store: str | None) -> dict[str, str]:
    """Return why a run cannot be given some analyses, by their names."""
    async with open_lab(store, readonly=True) as lab:
        runs = RecordedRuns(lab, [run])
        lacks = {each.name: each.find_lack(runs) for each in registry}
        return {
            name: lack.removeprefix("run ").removeprefix(f"{runs.key}: ")
            for name, lack in lacks.items()
            if lack
        }


def make_command(found: Analysis) -> click.Command:
    """Make the command ``moot analyse NAME`` of an analysis."""

    def command(
        runs: tuple[str, ...],
        arms: tuple[str, ...],
        datasets: tuple[str, ...],
        form: str,
        out: Path | None,
        *,
        force: bool,
        store: str | None,
        theme: str,
        width: str,
        height: int | None,
        whiskers: bool,
        **given: Any,  # noqa: ANN401 -- the analysis has its options
    ) -> None:
        style = parse_style(theme=theme, width=width, height=height, whiskers=whiskers)
        context = click.get_current_context()
        stated = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if context.get_parameter_source(name) is not ParameterSource.DEFAULT
        }

        async def read() -> tuple[Report, str]:
            async with open_lab(store, readonly=True) as lab:
                recorded = RecordedRuns(lab, runs, arms=arms, datasets=datasets)
                return found.apply(recorded, stated), recorded.name

        report, study = run_async(read())
        ReportOutput(form, out, force).give(report, style, study=study)

    made: Any = command
    own = [_make_option(each) for each in found.settings]
    usual = (store_option, style_options, ReportOutput.options, selection_options)
    for decorator in (*usual, *reversed(own)):
        made = decorator(made)
    text = f"{found.help}\n\nSource: {found.source}. Nothing is asked."
    argument = click.argument(
        "runs", nargs=-1, required=True, metavar="RUN...", shell_complete=complete_run
    )
    return click.command(found.name, help=text, short_help=found.summary)(argument(made))


class ReportOutput(NamedTuple):
    """The place and the form of a report, as ``options`` say.

    Attributes:
        form: ``text``, or one of ``RENDERINGS``.
        out: a folder, or a file where the form is one file; None to print, or for this folder.
        force: whether to write over files that differ.
    """

    form: str
    out: Path | None
    force: bool = False

    @staticmethod
    def options(command: CommandFunction) -> CommandFunction:
        """Give a command ``--format``, ``--out`` and ``--force``."""
        return _FORM_OPTIONS(command)

    def give(
        self,
        report: Report,
        style: ChartStyle = ChartStyle(),  # noqa: B008 -- it cannot change
        *,
        study: str = "",
    ) -> None:
        """Print a report, or write its files and print where they are.

        Files of names that were not asked for are not written over others: those of charts begin
        with the study's name, and a file that differs is kept.

        Args:
            report: what an analysis returned.
            style: how charts are drawn.
            study: whose it is; empty for files without its name.

        Raises:
            InputError: a file of such a name is there and differs, or cannot be written.
        """
        form, out = self.form, self.out
        if form == "text":
            if out is not None:
                raise InputError(
                    f"--out {out}: a terminal's text is printed; choose another --format"
                )
            console().print(show_report(report))
            return
        rendering = RENDERINGS[form]
        if out is None and rendering.printed:
            print_text(make_visible(rendering.text(report)))
            return
        written = rendering.write(report, style).items()
        files = {name: b"".join(split_content(content)) for name, content in written}
        if study and form in SUFFIXES:
            files = {f"{_name_file(study)}-{name}": content for name, content in files.items()}
        if not self.force and not _is_named(files, out):
            _keep_others(files, out or Path())
        write_out(files, out or Path())


def _name_file(study: str) -> str:
    """Return a study's name as the beginning of a file's."""
    return re.sub(r"[^a-z0-9]+", "-", study.lower()).strip("-")[:_LONGEST]


def _is_named(files: Mapping[str, Content], out: Path | None) -> bool:
    """Return whether ``out`` is the name of one file, and no folder."""
    return len(files) == 1 and out is not None and bool(out.suffix)


def _keep_others(files: Mapping[str, bytes], folder: Path) -> None:
    """Check that no file of these names has another content.

    Raises:
        InputError: one has.
    """
    for name, content in files.items():
        path = folder / name
        try:
            differs = path.exists() and path.read_bytes() != content
        except OSError as error:
            raise output_error(str(path), error) from None
        if differs:
            raise InputError(
                f"{path}: exists already and differs; name another folder or a file with --out, "
                "or write over it with --force"
            )


def print_reports(reports: Iterable[Report]) -> None:
    """Print reports below each other, of long tables only the first ``SHOWN`` rows."""
    for number, report in enumerate(reports):
        console().print(*[""] * bool(number), show_report(report, most=SHOWN), sep="\n")


def print_ending(report: Report, forms: Sequence[ResultTable], run: str) -> None:
    """Print the answer and the one table in at most ``LINES`` lines."""
    rest = f"all: {name_command('show', run)}"
    for note in report.notes:
        console().print(make_visible(on_one_line(note, 300)), markup=False, style="dim")
    console().print(show_ending(report, forms, rest, lines=LINES))


def print_answer(results: Results) -> None:
    """Print again whether debates are worth their tokens, below tables that scrolled it away."""
    if results.verdicts:
        answer = next(describe_worth(results))
        console().print(make_visible(answer), markup=False, style="bold")


def write_out(files: Mapping[str, Content], out: Path) -> list[Path]:
    """Write files, print where they are, and return that.

    Args:
        files: the content of each, by its name.
        out: a folder; or a file, for one file alone, if it has a suffix.

    Raises:
        InputError: there is no file, or it cannot be written.
    """
    if not files:
        raise InputError(f"--out {out}: there is no table or chart to write")
    places = {name: out if _is_named(files, out) else out / name for name in files}
    for name, path in places.items():
        content = files[name]
        try:
            write_file(path, content)
        except OSError as error:
            raise output_error(str(path), error) from None
        say(str(path))
    return list(places.values())


def _make_option(setting: SettingInfo) -> Any:  # noqa: ANN401 -- a decorator of click
    """Make the flag of an option of an analysis; its value is checked by the analysis."""
    several = isinstance(setting.default, list | tuple)
    kind = setting.type.upper()
    if "'" in kind:  # a choice of words, which are typed as they are
        kind = setting.type.removesuffix(" or none").replace("'", "").replace(" | ", "|")
    return click.option(
        f"--{setting.name.replace('_', '-')}",
        setting.name,
        multiple=several,
        default=() if several else None,
        metavar="VALUE" if several else kind,
        help=setting.help + ("" if several else f"  [default: {setting.default}]"),
    )


def _list(every: Iterable[Analysis], lacking: Mapping[str, str], *, as_json: bool) -> None:
    """Print the analyses, and of those that a run cannot be given the reason."""
    found = [each for each in every if each.name not in lacking]
    if as_json:
        listed = ("name", "summary", "source", "topic")
        print_json([{name: getattr(each, name) for name in listed} for each in found])
        return
    for number, (topic, own) in enumerate(Analysis.by_topic(found).items()):
        say("\n" * bool(number) + topic)
        for each in own:
            say(f"{each.name:<16}  {each.summary}")
            say(f"{'':<16}  {each.source}")
    if lacking:
        say("\nNot of this run:")
    for name, reason in lacking.items():
        say(f"{name:<16}  {reason}")
    for name, reason in registry.broken.items():
        say(f"{name:<16}  cannot be loaded: {reason}")
