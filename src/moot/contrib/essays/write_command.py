"""``moot write``: one proposition, argued in an essay."""

import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from moot import InputError
from moot.contrib.documents.reading_summary import summarise_reading
from moot.contrib.essays.bibliography import BIBLIOGRAPHIES
from moot.contrib.essays.citations import STYLES, Citations, CitationStyle
from moot.contrib.essays.draft import Draft
from moot.contrib.essays.essay_files import (
    FORMS,
    PACKAGES,
    check_form,
    format_essay,
    needs_other_fonts,
    write_json,
)
from moot.contrib.essays.essay_forms import essay_view
from moot.contrib.essays.essay_parts import describe_price, why_missing
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.essay_writing import MOST_ALTERNATIVES
from moot.contrib.essays.own_people import PERSON_KEYS, plain_people
from moot.contrib.essays.write import (
    PROTOCOL,
    STANCES,
    find_draft,
    find_essay_protocol,
    plan_essay,
)
from moot.contrib.essays.writing_stages import Stages
from moot.contrib.essays.written import Written, describe_essay, to_builtins
from moot.extend.faults import check_known
from moot.extend.studies import QuestionPlan
from moot.extend.terminal import (
    ExitCode,
    OutputFile,
    SettingCommand,
    TerminalDebate,
    console,
    exit_after,
    json_option,
    run_async,
    say,
    store_option,
)
from moot.extend.words import make_visible, on_one_line

FORMATS = ("text", "markdown", "html", "json", "docx", "pdf", "toml")
ENDINGS = {".txt": "text", **{end: form for form, (end, _) in FORMS.items()}, ".htm": "html"}
"""The format of a file by the ending of its name."""

BIBLIOGRAPHY_ENDINGS = " or ".join(ending for ending, _ in BIBLIOGRAPHIES.values())
OUTLINE_ENDINGS = (".txt", ".md")
PERSON = '"description=a nurse,claim=Nights are long."'
"""An example of ``--person``."""

SIDE = "--stance oppose argues against PROPOSITION, --stance support for it"
"""Names the two sides where none was chosen."""
WIDTH = 100
"""Columns of a text in a file."""

OPTIONS = {
    "proposition": "the argument PROPOSITION",
    **{name: f"--{name}" for name in ("stance", "protocol", "model", "evidence", "store")},
    "draft": "--from",
    "prompts": "--prompts",
    "budget": "--max-cost, --max-calls or --max-total-tokens",
    "prices": "--price",
}
"""The option for each parameter of ``moot.write`` that is no setting."""

LISTS = ("pool", "personas", "dialogue", "passages", "quotes", "outcomes")
"""Lists of an essay, which are empty where nothing happened at all."""
KEPT = "the essay is kept: write it again to another file, which costs nothing"
"""The advice where the file cannot be written."""


@click.command(cls=SettingCommand)
@click.argument("proposition", required=False)
@click.option(
    "--until",
    type=click.Choice(["personas", "selection", "debate", "plan"]),
    help="Stop after this stage, and show the draft: a file to edit and to go on --from.",
)
@click.option(
    "--from",
    "source",
    metavar="DRAFT",
    help="Go on from a draft (a FILE, an essay's JSON, a RUN): what it has is not asked again.",
)
@click.option("--revise", metavar="REMARK", help="Revise the essay of the --from DRAFT: one call.")
@click.option(
    "--alternatives",
    type=click.IntRange(1, MOST_ALTERNATIVES),
    metavar="N",
    help="Write N essays from the same plan, and tell how alike they are.",
)
@click.option(
    "--stance",
    help="oppose: argue against it; support: argue for it; both: weigh both sides.",
)
@click.option(
    "--protocol",
    help="How to write: debate-to-write, the default; essay-direct, essay-plan, americano.",
)
@click.option("--model", help="Who writes; MOOT_MODEL, else local/smollm2, if not given.")
@TerminalDebate.debate_options
@click.option(
    "--person",
    "persons",
    multiple=True,
    metavar="KEY=VALUE[,…]",
    help="A member of the team: name, description, claim; in place of a pool.",
)
@click.option(
    "--evidence",
    metavar="PATH",
    multiple=True,
    help="Documents (text, HTML, PDF, Word) to quote from: a folder or a file.",
)
@click.option("--skip-unreadable", is_flag=True, help="Leave out documents that cannot be read.")
@click.option("--prompts", type=click.Path(path_type=Path), help="Prompts laid over moot's own.")
@TerminalDebate.price_options
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How it is shown; else by the ending of the --output FILE, else as text.",
)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write it there.")
@click.option(
    "--citations",
    type=click.Choice(STYLES),
    help="Cite documents in this style, not passages by number.",
)
@click.option(
    "--bibliography",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Write the documents that it cites there: {BIBLIOGRAPHY_ENDINGS}.",
)
@click.option("--force", is_flag=True, help="Write over a FILE that exists.")
@store_option
@json_option
def write(
    proposition: str | None,
    source: str | None,
    stance: str | None,
    protocol: str | None,
    persons: tuple[str, ...],
    evidence: tuple[str, ...],
    skip_unreadable: bool,  # noqa: FBT001
    prompts: Path | None,
    dry_run: bool,  # noqa: FBT001
    form: str | None,
    output: Path | None,
    citations: CitationStyle | None,
    bibliography: Path | None,
    force: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    **options: Any,  # noqa: ANN401 -- of all debates, and settings with a flag of their own
) -> None:
    """Write an essay that argues against PROPOSITION, or for it.

    A team of personas debates it with a critic and makes a plan; the essay is written
    from the plan. A PROPOSITION of "-" is read from standard input; a draft has its own.
    Without --stance, a terminal is asked for it.
    --words, --audience, --tone and --language say how it is to be written; --outline (a
    text, or a FILE) by which points; --people FILE (in TOML, a table [[people]] for each)
    who is in the team. With --evidence, --strict has wrong quotations mended;
    --passages, --search-by, --evidence-for and --point-passages say what is found and who
    sees it. --set, --agent, --person and --evidence can be repeated. The transcript is
    kept: see "moot show". --json is --format json; when a budget or Ctrl-C stops it, that
    still prints one object: how far it came, and why it "failed".
    """
    form = _find_format(form, output, as_json=as_json)
    file = OutputFile(output, "--output")
    file.check(force=force)
    if citations and form in {"json", "toml"}:
        raise InputError(
            f"--citations {citations}: {form} has the numbers of passages; leave it out"
        )
    works = _Bibliography(bibliography, force=force)
    if proposition == "-":
        proposition = sys.stdin.read()
    if proposition is None and source is None:
        raise InputError("PROPOSITION is missing: state what is to be argued over, or go on --from")
    debate = TerminalDebate(
        options,
        OPTIONS,
        as_json=form == "json",
        stopped={
            "shown": lambda transcript: to_builtins(describe_essay(transcript)),
            "keys": Written.__struct_fields__,
            "when": "before the essay was written",
            "known": {"cut": False, "plan_text": "", **{name: [] for name in LISTS}},
        },
        write=lambda told: file.write(write_json(told)),
    )
    plan = debate.plan(
        proposition or "",
        set_by={name: options[name] for name in ("until", "revise", "alternatives")},
        by=partial(_plan, persons, chooses=not dry_run),
        draft=None if source is None else run_async(find_draft(source, options["store"])),
        stance=stance,
        protocol=protocol,
        evidence=evidence or None,
        skip_unreadable=skip_unreadable,
        prompts=prompts,
    )
    form = form or ("toml" if EssaySettings.read(plan.settings).until else "text")
    if dry_run:
        debate.foresee(plan)
        if not as_json:
            _tell_reading(plan)
        return
    with debate.hold(plan, display=Stages(quiet=as_json)) as work:
        answer = run_async(work)
    shown = f"transcript: {debate.show_command(answer.run)}"
    written = describe_essay(answer.transcript, answer.run)
    works.write(written)
    _tell_uncited(written, {"--citations": citations, "--bibliography": bibliography})
    _end(written, form, file, shown, citations)


def _plan(
    persons: Sequence[str],
    proposition: str,
    *,
    chooses: bool,
    settings: dict[str, Any],
    stance: str | None,
    draft: Draft | None,
    **asked: Any,  # noqa: ANN401 -- as of plan_essay
) -> QuestionPlan:
    """Return the plan of an essay with the user's own people, and the outline of a path.

    Args:
        persons: as ``--person`` has them.
        proposition: what is argued over.
        chooses: whether a stance must be chosen; what is only foreseen needs none.
        settings: as given.
        stance: as ``--stance`` has it; a draft has its own.
        draft: of ``--from``.
        asked: all else of ``plan_essay``.
    """
    given = _add_own(settings, persons)
    if chooses and not (stance or draft) and proposition.strip():
        find_essay_protocol(asked["protocol"] or PROTOCOL)
        stance = _ask_stance()
    return plan_essay(proposition, settings=given, stance=stance, draft=draft, **asked)


def _ask_stance() -> str:
    """Return the side that the user at the terminal types. Raises ``InputError`` without one."""
    if not sys.stdin.isatty():
        raise InputError(f"which side does the essay take? {SIDE}")
    told = "Which side does the essay take: against it, for it, or both weighed?"
    typed: str = click.prompt(told, type=click.Choice(STANCES), err=True)
    return typed


def _tell_reading(plan: QuestionPlan) -> None:
    """Say for each document of the user the parts and details that are read."""
    if named := EssaySettings.read(plan.settings).evidence:
        say("What is read of your documents:")
        for name, read in summarise_reading(named).items():
            say(f"  {on_one_line(name)}: {read}")


class _Bibliography:
    """The file of the documents that an essay cites. Raises ``InputError`` if it cannot be one."""

    def __init__(self, path: Path | None, *, force: bool) -> None:
        self._file = OutputFile(path, "--bibliography")
        self._file.check(force=force)
        name = path.name.lower() if path else ""
        forms = (form for form, (ending, _) in BIBLIOGRAPHIES.items() if name.endswith(ending))
        self._form = next(forms, "csl-json" if name.endswith(".json") else "")
        if path and not self._form:
            raise InputError(f"--bibliography {path}: give an ending of {BIBLIOGRAPHY_ENDINGS}")

    def write(self, written: Written) -> None:
        """Write the file, where one is asked for."""
        if self._form:
            self._file.write(format_essay(written, self._form), advice=KEPT)


def _tell_uncited(written: Written, asked: Mapping[str, str | Path | None]) -> None:
    """Say which options of citations do nothing, since the essay cites no document."""
    given = [f"{option} {value}" for option, value in asked.items() if value]
    if given and not Citations(written, "author-year").works:
        say(f"{', '.join(given)}: the essay cites no document", err=True)


def _end(
    written: Written, form: str, file: OutputFile, shown: str, style: CitationStyle | None
) -> None:
    """Print the essay or write it to its file, tell what to know of it, and exit."""
    with exit_after(ExitCode.FAILED if written.failed else ExitCode.DONE):
        if form == "text" and file.path is None:
            _print(written, console(), shown, style)
        else:
            file.write(_format(written, form, shown, style), advice=KEPT)
        if form == "toml":
            path = shlex.quote(str(file.path)) if file.path else "FILE"
            _print_notes(written, f"edit the draft, and go on: moot write --from {path}")
        elif file.path is not None:
            _print_notes(written)
            if form == "pdf" and needs_other_fonts(written):
                say(
                    "letters of other scripts than European ones need a font of this machine: "
                    "look at the PDF"
                )


def _add_own(given: dict[str, Any], persons: Sequence[str]) -> dict[str, Any]:
    """Return the settings with the user's own people, and the path of the user's own outline.

    An outline of one line is the path of a file if it ends in .txt or .md, or such a file is there.
    """
    added = dict(given)
    outline = given.get("outline")
    if isinstance(outline, str) and "\n" not in outline:
        path = Path(outline)
        if path.suffix.lower() in OUTLINE_ENDINGS or (len(outline) < 255 and path.is_file()):
            added["outline"] = path
    if persons:
        more = plain_people(given.get("people", ()))
        added["people"] = [*(more if isinstance(more, list) else ()), *map(_parse_person, persons)]
    return added


def _parse_person(text: str) -> dict[str, str]:
    """Parse ``KEY=VALUE[,…]``. A comma separates only where ``key=`` follows it.

    Raises:
        InputError: it is not written so, has an unknown key, or one twice.
    """
    where = f"--person {text}"
    found: dict[str, str] = {}
    for pair in re.split(r",(?=\s*[\w-]+=)", text):
        key, equals, value = pair.strip().partition("=")
        if not equals:
            raise InputError(f"{where}: write --person key=value,…, e.g. --person {PERSON}")
        check_known("key", [key], PERSON_KEYS, where=where)
        if key in found:
            raise InputError(f"{where}: {key} is set twice")
        found[key] = value
    return found


def _find_format(form: str | None, output: Path | None, *, as_json: bool) -> str:
    """Return the format that was asked for, or that of the file's ending; empty where none was.

    Raises:
        InputError: two formats were asked for, or none is known for the file's ending.
    """
    if as_json and form not in (None, "json"):
        raise InputError(f"--json and --format {form}: give one of the two")
    if form is None and output is not None and not as_json:
        form = ENDINGS.get(output.suffix.lower())
        if form is None and output.suffix:
            raise InputError(
                f"--output {output}: give --format, or an ending of {', '.join(ENDINGS)}"
            )
    found = "json" if as_json else form or ""
    if found in PACKAGES and output is None:
        raise InputError(f"--format {found}: name its file with --output")
    check_form(found)
    return found


def _format(written: Written, form: str, shown: str, style: CitationStyle | None) -> str | bytes:
    """Return the essay with how it came about, as a file has it."""
    if form != "text":
        return format_essay(written, form, style)
    file = StringIO()
    _print(written, Console(file=file, width=WIDTH, highlight=False), shown, style)
    return "\n".join(line.rstrip() for line in file.getvalue().split("\n"))


def _print(written: Written, out: Console, shown: str, style: CitationStyle | None) -> None:
    """Print how the essay came about, the essay, and its price."""
    out.print(essay_view(written, style))
    out.print(Text(f"\n{describe_price(written)}", style="dim"))
    out.print(Text(shown, style="dim"), soft_wrap=True)


def _print_notes(written: Written, more: str = "") -> None:
    """Print on standard error why there is no essay, the troubles on the way, and the price."""
    notes = [why_missing(written), *written.outcomes, describe_price(written), more]
    for note in filter(None, notes):
        sys.stderr.write(f"  {make_visible(note)}\n")
