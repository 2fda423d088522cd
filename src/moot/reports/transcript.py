"""One debate, readable in a terminal."""

from typing import TYPE_CHECKING

from moot.core.display_text import (
    make_visible,
    on_one_line,
)
from moot.core.events import Searched, Transcript, Turn, Verdict
from moot.core.questions import Question
from moot.debate.dissents import list_dissents
from moot.debate.unread import describe_by, describe_node_by, list_unread
from moot.debate.verdicts import INVENTED
from moot.reports.event_words import (
    describe_between,
    describe_opening,
    describe_thought,
    describe_turn,
    explain_empty,
    write_dissent,
    write_unread,
)
from moot.reports.node_groups import Between, TurnGroup, group_turns
from moot.reports.setup import describe_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text

LONG = 200
"""Characters from which on the verdict is not shown again in full, where a turn has said it."""


def show_transcript(transcript: Transcript, *, thought: bool = False) -> "RenderableType":
    """Show the question, every turn round by round with its reads and usage, and the verdict.

    The turns of a network stand node by node, each node with its reads and its verdict. Replies
    are shown as text: control characters become visible, markup means nothing.

    Args:
        transcript: the debate.
        thought: whether hidden thought is shown in full, not in a line.
    """
    from rich.console import Group as Lines
    from rich.padding import Padding
    from rich.rule import Rule
    from rich.text import Text

    opened = transcript.opened
    settings = ", ".join(describe_settings(opened.settings))
    parts: list[RenderableType] = [Text(make_visible(opened.protocol), style="bold")]
    if settings:
        parts.append(Text(make_visible(settings), style="dim"))
    if opened.simulated:
        parts.append(Text("SIMULATED. No language model was asked.", style="bold yellow"))
    if opened.origin:
        parts.append(Text(make_visible(opened.origin), style="bold yellow"))
    parts.extend([Text(), *(Text(text) for text in question_lines(opened.question))])
    if opened.opening:
        parts.append(Text(describe_opening(opened)))
    parts.append(Text())
    for group in group_turns(transcript):
        if group.name:
            parts.append(Rule(Text(group.name, style="bold"), align="left", characters="═"))
            parts.append(_about(group, transcript))
        shown = 0
        parts.extend(map(_show_between, group.between.get(0, ())))
        for turn in group.turns:
            if turn.round != shown:
                shown = turn.round
                parts.append(Rule(Text(f"round {shown}"), align="left", style="dim"))
            parts.append(_heading(turn, transcript))
            parts.extend(_thought(turn, whole=thought))
            parts.append(Padding(_show_text(turn), (0, 0, 0, 2)))
            parts.append(Padding(Text(describe_turn(turn), style="dim"), (0, 0, 1, 2)))
            parts.extend(map(_show_between, group.between.get(turn.id, ())))
    parts.extend([Rule(style="dim"), _ending(transcript)])
    parts.extend(Text(each, style="yellow") for each in describe_dissents(transcript))
    return Lines(*parts)


def question_lines(question: Question) -> list[str]:
    """Return the question as it was put: context, text, choices, and what would be right."""
    lines = [make_visible(question.preceding), ""] if question.preceding else []
    lines.append(make_visible(question.text))
    pairs = zip(question.letters, question.choices, strict=True)
    lines += [f"  ({letter}) {make_visible(choice)}" for letter, choice in pairs]
    if question.answers:
        lines.append("right: " + " or ".join(make_visible(answer) for answer in question.answers))
    return lines


def _thought(turn: Turn, *, whole: bool) -> "Iterator[RenderableType]":
    from rich.padding import Padding
    from rich.text import Text

    if turn.thought:
        told = describe_thought(turn)
        told = f"{told}:\n{make_visible(turn.thought)}" if whole else f"{told} (--thought shows it)"
        yield Padding(Text(told, style="dim italic"), (0, 0, 0, 2))


def _show_text(turn: Turn) -> "Text":
    from rich.text import Text

    note = explain_empty(turn)
    return Text(note, style="yellow") if note else Text(make_visible(turn.text))


def _about(group: TurnGroup, transcript: Transcript) -> "RenderableType":
    from rich.text import Text

    told = Text(group.about, style="dim")
    if group.whole:
        return told
    if group.ended is None:
        return Text("came to no verdict", style="yellow")
    by = describe_node_by(group.ended, transcript)
    return Text.assemble(told, " · ", _verdict(group.ended.verdict, by))


def _heading(turn: Turn, transcript: Transcript) -> "RenderableType":
    from rich.text import Text

    came = (" → ", (on_one_line(turn.answer or ""), "bold"))
    if turn.answer is None:
        asked = transcript.lacks_answer(turn)
        came = (
            (" → ", ("no answer", "yellow")) if asked else (" · ", (on_one_line(turn.step), "bold"))
        )
    return Text.assemble(
        (f"#{turn.id} ", "dim"),
        (on_one_line(turn.agent), "bold cyan"),
        (f" ({on_one_line(turn.role)}, {on_one_line(turn.model)})", "dim"),
        *came,
    )


def _show_between(event: Between) -> "RenderableType":
    from rich.console import Group as Lines
    from rich.padding import Padding
    from rich.text import Text

    told: list[RenderableType] = [Text(describe_between(event), style="cyan")]
    for passage in event.passages if isinstance(event, Searched) else ():
        told.append(
            Padding(Text(f"[{passage.number}] {on_one_line(passage.source)}"), (0, 0, 0, 2))
        )
        told.append(Padding(Text(make_visible(passage.text), style="dim"), (0, 0, 0, 4)))
    if isinstance(event, Searched) and not event.passages:
        told.append(Padding(Text("nothing found", style="yellow"), (0, 0, 0, 2)))
    return Padding(Lines(*told), (0, 0, 1, 0))


def describe_dissents(transcript: Transcript) -> list[str]:
    """Return a line for each dissent, then for what could not be read: who, what and where."""
    unread = map(write_unread, list_unread(transcript))
    return [*map(write_dissent, list_dissents(transcript)), *unread]


def _ending(transcript: Transcript) -> "RenderableType":
    from rich.text import Text

    if failed := transcript.failed:
        return Text(f"failed: {make_visible(failed.words)}", style="bold red")
    verdict = transcript.verdict
    if verdict is None:
        return Text("not ended", style="yellow")
    return _verdict(verdict, describe_by(transcript))


def _verdict(verdict: Verdict, by: str) -> "Text":
    from rich.text import Text

    was_read = verdict.votes or verdict.by == INVENTED  # votes are of answers that were read
    none = "none" if was_read else "none (unparsed)"
    answer = none if verdict.answer is None else make_visible(verdict.answer)
    if verdict.turn is not None and len(answer) > LONG:
        answer = on_one_line(answer)  # the turn that it is has been shown
    counted = verdict.scores or verdict.votes
    votes = ", ".join(f"{on_one_line(a)}: {n:g}" for a, n in counted.items())
    by = f" by {on_one_line(by, 160)}" + (f" ({votes})" if votes else "")
    by += f", turn #{verdict.turn}" if verdict.turn is not None else ""
    return Text.assemble(("verdict: ", "bold"), (answer, "bold green"), by)
