"""An essay with how it came about, readable in a terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moot.core.plain import line, plain
from moot.essays.essay_parts import (
    MISSING,
    SIMULATED,
    aside,
    begun,
    cited,
    discussed,
    ended,
    heading,
    pieces,
    speaker,
    standing,
    warnings,
)
from moot.essays.team import claim_beside, label
from moot.essays.written import Written

if TYPE_CHECKING:
    from rich.console import RenderableType


def essay_view(written: Written) -> "RenderableType":
    """How the essay came about, and at the end the essay, for a terminal.

    Replies are shown as text: control characters become visible, markup means nothing.
    """
    from rich.console import Group
    from rich.rule import Rule
    from rich.text import Text

    parts: list[RenderableType] = [
        Text(plain(written.proposition), style="bold"),
        Text(heading(written), style="dim"),
    ]
    if written.simulated:
        parts.append(Text(SIMULATED, style="bold yellow"))
    for name, shown in (
        ("Personas", _personas(written)),
        (discussed(written), _dialogue(written)),
        ("Plan", _plan(written)),
        ("Evidence", _evidence(written)),
        ("What went otherwise", [Text(plain(w), style="yellow") for w in warnings(written)]),
        ("Essay", _essay(written)),
    ):
        if told := list(shown):
            title = Rule(Text(name, style="bold"), align="left", style="dim")
            parts += [Text(), title, Text(), *told]
    return Group(*parts)


def _personas(written: Written) -> "Iterator[RenderableType]":
    from rich.padding import Padding
    from rich.text import Text

    for place, persona in enumerate(written.personas):
        yield Text.assemble((f"{label(place)}: ", "dim"), (plain(persona.description), "bold cyan"))
        if claim := claim_beside(persona):
            yield Padding(Text(plain(claim)), (0, 0, 0, 3))
        if persona.reason:
            yield Padding(Text(f"chosen: {plain(persona.reason)}", style="dim"), (0, 0, 0, 3))
    for number, persona in enumerate(aside(written)):
        if not number:
            yield Text("\nnot in the team" if written.personas else "the pool", style="dim")
        claim = f": {claim_beside(persona)}" if claim_beside(persona) else ""
        yield _item("  –", plain(persona.description + claim), style="dim")


def _dialogue(written: Written) -> "Iterator[RenderableType]":
    from rich.padding import Padding
    from rich.text import Text

    rounds = begun(written)
    for remark in written.dialogue:
        if remark.id in rounds:
            yield Text(f"round {rounds[remark.id]}", style="dim")
        yield Text.assemble(
            (speaker(remark), "bold cyan" if remark.step != "challenge" else "bold magenta"),
            (f" ({line(remark.step)})", "dim"),
            (f"  {standing(remark)}".rstrip(), "green" if remark.settled else "yellow"),
        )
        yield Padding(Text(plain(remark.text.strip())), (0, 0, 1, 3))


def _plan(written: Written) -> "Iterator[RenderableType]":
    from rich.text import Text

    plan = written.plan
    if plan is None:
        if written.plan_text.strip():
            yield Text(plain(written.plan_text.strip()))
        return
    if plan.acknowledgment:
        yield _item("granted:", plan.acknowledgment)
    for place, point in enumerate(plan.points, 1):
        yield _item(f"{place}.", point.text, style="bold")
        yield from (_item("   –", support) for support in point.supports)


def _item(mark: str, text: str, style: str = "") -> "RenderableType":
    """An item of a list, whose further lines stand below its first."""
    from rich.table import Table
    from rich.text import Text

    made = Table.grid(padding=(0, 1, 0, 0))
    made.add_column(style="dim", no_wrap=True)
    made.add_row(mark, Text(plain(text), style=style))
    return made


def _evidence(written: Written) -> "Iterator[RenderableType]":
    from rich.padding import Padding
    from rich.text import Text

    for passage in written.passages:
        yield Text.assemble(f"[{passage.number}] ", (plain(passage.source), "cyan"))
        yield Padding(Text(plain(passage.text.strip()), style="dim"), (0, 0, 0, 4))
    for quote in written.quotes:
        yield Text.assemble(
            (
                "✓ found " if quote.found else f"✗ {MISSING} ",
                "green" if quote.found else "bold red",
            ),
            f"{plain(cited(quote))}",
        )


def _essay(written: Written) -> "Iterator[RenderableType]":
    from rich.text import Text

    if why := ended(written):
        yield Text(plain(why), style="bold red")
    if written.essay:
        yield Text.assemble(
            *(
                (plain(text), "" if quote is None else "green" if quote.found else "bold red")
                if quote is None or quote.found
                else (f"{plain(text)} ‹{MISSING}›", "bold red")
                for text, quote in pieces(written)
            )
        )
