"""One debate as a Markdown document."""

from collections.abc import Iterator

from moot.core.display_text import make_visible, on_one_line
from moot.core.events import Transcript, Turn
from moot.debate.unread import describe_by
from moot.reports.event_words import (
    describe_between,
    describe_opening,
    describe_turn,
    explain_empty,
)
from moot.reports.node_groups import group_turns
from moot.reports.setup import describe_settings
from moot.reports.transcript import describe_dissents, question_lines


def write_transcript(transcript: Transcript) -> Iterator[str]:
    """Yield the lines of a debate in Markdown: the question, every turn, and the verdict.

    What was said is quoted, so that no heading or list of a reply becomes one of the document.
    """
    opened = transcript.opened
    yield f"# {_escape(on_one_line(opened.question.text, 120))}"
    yield ""
    yield from _quote("\n".join(question_lines(opened.question)))
    settings = ", ".join(describe_settings(opened.settings, paths=False))
    yield f"{_escape(opened.protocol)}: {_escape(settings)}" if settings else opened.protocol
    yield ""
    if opened.simulated:
        yield "**Simulated.** An agent in it is no language model."
        yield ""
    if opened.origin:
        yield f"**{_escape(opened.origin)}**"
        yield ""
    if opened.opening:
        yield _escape(describe_opening(opened))
        yield ""
    yield from _write_end(transcript)
    for group in group_turns(transcript):
        if group.name:
            yield f"## {_escape(group.name)}"
            yield ""
        between = [*group.between.get(0, ())]
        number = None
        for turn in group.turns:
            if turn.round != number:
                number = turn.round
                yield f"{'###' if group.name else '##'} Round {number}"
                yield ""
            yield from _write_turn(turn, transcript)
            between += group.between.get(turn.id, ())
        for each in between:
            yield f"*{_escape(describe_between(each))}*"
            yield ""


def _write_turn(turn: Turn, transcript: Transcript) -> Iterator[str]:
    answer = on_one_line(turn.answer or "", 120)
    if turn.answer is None:
        answer = "no answer" if transcript.lacks_answer(turn) else on_one_line(turn.step, 40)
    who = f"{turn.agent} ({turn.role}, {turn.model})"
    yield f"**#{turn.id} {_escape(on_one_line(who, 120))}: {_escape(answer)}**"
    yield ""
    yield from _quote(explain_empty(turn) or turn.text)
    yield f"<sub>{_escape(describe_turn(turn))}</sub>"
    yield ""


def _write_end(transcript: Transcript) -> Iterator[str]:
    if transcript.failed:
        yield f"**No verdict:** {_escape(on_one_line(transcript.failed.words, 400))}"
    elif (verdict := transcript.verdict) is None:
        yield "**Not ended.**"
    else:
        answer = "none" if verdict.answer is None else on_one_line(verdict.answer, 400)
        votes = ", ".join(f"{on_one_line(a, 60)}: {n:g}" for a, n in verdict.votes.items())
        by = f"by {describe_by(transcript)}" + (f" ({votes})" if votes else "")
        yield f"**Verdict: {_escape(answer)}** {_escape(by)}"
    yield ""
    for line in describe_dissents(transcript):
        yield f"- {_escape(line)}"
    yield ""


def _quote(text: str) -> Iterator[str]:
    for line in make_visible(text).strip().splitlines():
        yield f"> {line}".rstrip()
    yield ""


def _escape(text: str) -> str:
    """Return a text on a line of its own, in which no sign of Markdown or HTML has a meaning."""
    made = make_visible(text)
    for sign in "\\`*_[]<>":
        made = made.replace(sign, f"\\{sign}")
    return made
