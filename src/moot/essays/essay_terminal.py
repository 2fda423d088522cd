"""An essay with how it came about, readable in a terminal."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from moot.core.display_text import make_visible, on_one_line
from moot.core.passages import Quote
from moot.essays import essay_parts as shared
from moot.essays.essay_parts import MISSING, SIMULATED
from moot.essays.team import claim_beside, label
from moot.essays.written import Written


def essay_view(written: Written) -> RenderableType:
    """Return how the essay came about, and at the end the essay, for a terminal.

    Replies are shown as text: control characters become visible, markup means nothing.
    """
    parts: list[RenderableType] = [
        Text(make_visible(written.proposition), style="bold"),
        Text(shared.essay_heading(written), style="dim"),
    ]
    if written.simulated:
        parts.append(Text(SIMULATED, style="bold yellow"))
    for name, shown in (
        ("Personas", _personas(written)),
        (shared.dialogue_heading(written), _dialogue(written)),
        ("Plan", _plan(written)),
        ("Evidence", _evidence(written)),
        (
            "What went otherwise",
            [Text(make_visible(w), style="yellow") for w in shared.list_warnings(written)],
        ),
        ("Essay", _essay(written)),
    ):
        if rows := list(shown):
            title = Rule(Text(name, style="bold"), align="left", style="dim")
            parts += [Text(), title, Text(), *rows]
    return Group(*parts)


def _personas(written: Written) -> Iterator[RenderableType]:
    for place, persona in enumerate(written.personas):
        yield Text.assemble(
            (f"{label(place)}: ", "dim"), (make_visible(persona.description), "bold cyan")
        )
        if claim := claim_beside(persona):
            yield Padding(Text(make_visible(claim)), (0, 0, 0, 3))
        if persona.reason:
            yield Padding(
                Text(f"chosen: {make_visible(persona.reason)}", style="dim"), (0, 0, 0, 3)
            )
    for number, persona in enumerate(shared.outside_team(written)):
        if not number:
            yield Text("\nnot in the team" if written.personas else "the pool", style="dim")
        claim = f": {claim_beside(persona)}" if claim_beside(persona) else ""
        yield _item("  –", make_visible(persona.description + claim), style="dim")


def _dialogue(written: Written) -> Iterator[RenderableType]:
    rounds = shared.round_starts(written)
    for remark in written.dialogue:
        if remark.id in rounds:
            yield Text(f"round {rounds[remark.id]}", style="dim")
        yield Text.assemble(
            (
                shared.name_speaker(remark),
                "bold cyan" if remark.step != "challenge" else "bold magenta",
            ),
            (f" ({on_one_line(remark.step)})", "dim"),
            (
                f"  {shared.describe_stand(remark)}".rstrip(),
                "green" if remark.settled else "yellow",
            ),
        )
        yield Padding(Text(make_visible(remark.text.strip())), (0, 0, 1, 3))


def _plan(written: Written) -> Iterator[RenderableType]:
    plan = written.plan
    if plan is None:
        if written.plan_text.strip():
            yield Text(make_visible(written.plan_text.strip()))
        return
    if plan.acknowledgment:
        yield _item("granted:", plan.acknowledgment)
    for place, point in enumerate(plan.points, 1):
        yield _item(f"{place}.", point.text, style="bold")
        yield from (_item("   –", support) for support in point.supports)


def _item(mark: str, text: str, style: str = "") -> RenderableType:
    """Return an item of a list, whose further lines stand below its first."""
    made = Table.grid(padding=(0, 1, 0, 0))
    made.add_column(style="dim", no_wrap=True)
    made.add_row(mark, Text(make_visible(text), style=style))
    return made


def _evidence(written: Written) -> Iterator[RenderableType]:
    for passage in written.passages:
        yield Text.assemble(f"[{passage.number}] ", (make_visible(passage.source), "cyan"))
        yield Padding(Text(make_visible(passage.text.strip()), style="dim"), (0, 0, 0, 4))
    for quote in written.quotes:
        mark = ("✓ found ", "green") if quote.found else (f"✗ {MISSING} ", "bold red")
        yield Text.assemble(mark, make_visible(shared.cite(quote)))


def _essay(written: Written) -> Iterator[RenderableType]:
    if why := shared.why_missing(written):
        yield Text(make_visible(why), style="bold red")
    if written.essay:
        yield Text.assemble(*(_style_piece(*piece) for piece in shared.split_at_quotes(written)))


def _style_piece(text: str, quote: Quote | None) -> tuple[str, str]:
    """Return a piece of the essay with its colour; a quotation that was not found is marked."""
    if quote is None:
        return make_visible(text), ""
    return (
        (make_visible(text), "green")
        if quote.found
        else (f"{make_visible(text)} ‹{MISSING}›", "bold red")
    )
