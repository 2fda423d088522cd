"""An essay with how it came about, in Markdown."""

import re
from collections.abc import Iterator

from moot.core.display_text import make_visible
from moot.essays import essay_parts as shared
from moot.essays.essay_parts import MISSING, SIMULATED, EssayPiece
from moot.essays.team import claim_beside, label
from moot.essays.written import Written
from moot.reports.markdown import escape_markdown

_BLANK = re.compile(r"\n[ \t]*\n\s*")
_BEGINS = re.compile(r"^(\d{0,9})([-+=.)])")


def essay_markdown(written: Written) -> str:
    """Return the essay, and below it how it came about; texts of models are no Markdown."""
    parts = [f"# {_line(written.proposition)}", _line(shared.essay_heading(written))]
    parts += [f"**{SIMULATED}**"] * written.simulated
    parts += [f"**{_line(why)}**" for why in filter(None, [shared.why_missing(written)])]
    parts += [prose("".join(map(_mark_missing, shared.split_at_quotes(written))))]
    for name, shown in (
        (
            "What went otherwise",
            (f"- {_line(each)}" for each in shared.list_warnings(written)),
        ),
        ("Personas", _personas(written)),
        ("Plan", _plan(written)),
        ("Evidence", _evidence(written)),
        (shared.dialogue_heading(written), _dialogue(written)),
    ):
        if lines := "\n".join(shown).strip():
            parts += [f"## {name}", lines]
    run = f" · moot show {written.run}" if written.run else ""
    parts += [_line(shared.describe_price(written) + run)]
    return "\n\n".join(filter(None, parts)) + "\n"


def prose(text: str) -> str:
    """Return a text that Markdown shows as it is, with its paragraphs and lines."""
    paragraphs = _BLANK.split(make_visible(text).strip())
    return "\n\n".join("\\\n".join(map(_line, each.split("\n"))) for each in paragraphs)


def _line(text: str) -> str:
    """Return a line that is neither an item of a list nor the rule below a heading."""
    return _BEGINS.sub(r"\1\\\2", escape_markdown(make_visible(text)))


def _mark_missing(piece: EssayPiece) -> str:
    """Return a piece of the essay; a quotation that was not found is marked."""
    text, quote = piece
    return text if quote is None or quote.found else f"{text} ‹{MISSING}›"


def _personas(written: Written) -> Iterator[str]:
    for place, persona in enumerate(written.personas):
        yield f"- {label(place)}: **{_line(persona.description)}**"
        if claim := claim_beside(persona):
            yield f"  - claims: {_line(claim)}"
        if persona.reason:
            yield f"  - chosen: {_line(persona.reason)}"
    for number, persona in enumerate(shared.outside_team(written)):
        if not number:
            yield "\nNot in the team:\n" if written.personas else "The pool:\n"
        claim = f": {claim_beside(persona)}" if claim_beside(persona) else ""
        yield f"- {_line(persona.description + claim)}"


def _plan(written: Written) -> Iterator[str]:
    plan = written.plan
    if plan is None:
        if written.plan_text.strip():
            yield prose(written.plan_text)
        return
    if plan.acknowledgment:
        yield f"Granted: {_line(plan.acknowledgment)}\n"
    for place, point in enumerate(plan.points, 1):
        yield f"{place}. {_line(point.text)}"
        yield from (f"   - {_line(support)}" for support in point.supports)


def _evidence(written: Written) -> Iterator[str]:
    for quote in written.quotes:
        yield f"- {'found' if quote.found else f'**{MISSING}**'}: {_line(shared.cite(quote))}"
    if written.quotes:
        yield ""
    for passage in written.passages:
        yield f"\\[{passage.number}\\] {_line(passage.source)}\n"
        yield "\n".join(f"> {each}".rstrip() for each in prose(passage.text).split("\n")) + "\n"


def _dialogue(written: Written) -> Iterator[str]:
    rounds = shared.round_starts(written)
    for remark in written.dialogue:
        if remark.id in rounds:
            yield f"### Round {rounds[remark.id]}\n"
        stand = f", {found}" if (found := shared.describe_stand(remark)) else ""
        yield f"**{_line(shared.name_speaker(remark))}** ({_line(remark.step)}{stand})\n"
        yield prose(remark.text) + "\n"
