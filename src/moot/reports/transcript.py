"""One debate, readable in a terminal."""

from typing import TYPE_CHECKING

from moot.core.display_text import (
    format_count,
    format_dollars,
    format_duration,
    format_things,
    make_visible,
    on_one_line,
)
from moot.core.dissent import Dissent
from moot.core.events import Noted, Opened, Searched, Transcript, Turn, Verdict
from moot.core.questions import Question
from moot.core.readings import describe_reading, list_fields
from moot.core.unread import Unread
from moot.debate.dissents import list_dissents
from moot.debate.unread import describe_by, describe_node_by, list_unread
from moot.debate.verdicts import INVENTED
from moot.parsing.shuffle import LETTERS
from moot.reports.node_groups import Between, TurnGroup, group_turns
from moot.reports.setup import describe_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.text import Text

NAMED = 6
"""Agents of one dissent that are named; of further ones only the number."""
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


def describe_opening(opened: Opened) -> str:
    """Return the values that the opening asks about; empty where the question was asked openly."""
    if not opened.opening:
        return ""
    which = "one of these" if len(opened.opening) > 1 else "this"
    values = ", ".join(" ".join(make_visible(value).split()) for value in opened.opening)
    return f"opening: asked whether {which} is right: {values}"


def describe_turn(turn: Turn) -> str:
    """Return one line: what a turn read, what its reading says, and its tokens, cost and time."""
    tokens = (
        f"{format_count(turn.prompt_tokens)} + {format_things(turn.completion_tokens, 'token')}"
    )
    if turn.prompt_tokens is None and turn.completion_tokens is None:
        tokens = "tokens unknown"
    if turn.reasoning_tokens:
        tokens += f", {format_count(turn.reasoning_tokens)} of them thought"
    parts = [
        _describe_reads(turn),
        *([f"{format_things(turn.removed, 'message')} left out"] if turn.removed else []),
        *([f"choices in the order {_letters(turn)}"] if turn.order else []),
        *([_describe_calls(turn)] if turn.tool_calls and turn.text.strip() else []),
        *([f"about the question {on_one_line(turn.about, 60)}"] if turn.about else []),
        *([on_one_line(reading, 200)] if (reading := describe_reading(turn.reading)) else []),
        tokens + (f" ({turn.cached_tokens:,} cached)" if turn.cached_tokens else ""),
        "cost unknown" if turn.cost is None else format_dollars(turn.cost),
        format_duration(turn.seconds),
    ]
    parts += [format_things(turn.retries, "retry")] if turn.retries else []
    parts += ["cut off"] if turn.finish == "length" else []
    parts += [f"finish: {turn.finish}"] if turn.finish in {"filter", "other"} else []
    parts += [_describe_batch(turn.batch)] if turn.batch is not None else []
    parts += ["replayed"] if turn.replayed else []
    return " · ".join(parts)


def _describe_batch(share: float) -> str:
    return "in a batch" if share == 1 else f"in a batch, at {share:.0%} of the price"


def _describe_reads(turn: Turn) -> str:
    """Return which turns a turn read, and what of them where it was not all of it."""
    composed = [part for read, part in turn.parts.items() if read < 0]
    if not turn.reads and not composed:
        return "read nobody"
    named = [
        f"#{read}" + (f" ({turn.parts[read]})" if read in turn.parts else "") for read in turn.reads
    ]
    named += [f"composed words ({part})" for part in composed]
    return "read " + ", ".join(on_one_line(each, 60) for each in named)


def _describe_calls(turn: Turn) -> str:
    calls = (f"{each.function.name}({each.function.arguments})" for each in turn.tool_calls)
    return f"calls {', '.join(calls)}"


def explain_empty(turn: Turn) -> str:
    """Say why a turn has no text: it calls tools, or thought took all its tokens; else nothing."""
    if turn.tool_calls and not turn.text.strip():
        return _describe_calls(turn)
    if not turn.is_thought_only:
        return ""
    which = "tokens of the reply"
    if turn.completion_tokens is not None:
        which = f"{format_things(turn.completion_tokens, 'token')} of the reply"
    return f"nothing was said: all {which} went into thought; raise max_tokens, or lower effort"


def describe_event(event: Turn | Between) -> str:
    """Return what a turn said or why it said nothing; of other events a line of what happened."""
    if isinstance(event, Turn):
        return event.text.strip() or explain_empty(event)
    return describe_between(event)


def describe_thought(turn: Turn) -> str:
    """Return the text shown in place of hidden thought; empty without thought."""
    if not turn.thought:
        return ""
    if turn.reasoning_tokens is None:
        return f"thought, {format_things(len(turn.thought.split()), 'word')}"
    return f"thought, {format_things(turn.reasoning_tokens, 'token')}"


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


def _letters(turn: Turn) -> str:
    """Return the original letters of the choices, in the order in which they were shown."""
    return " ".join(LETTERS[place] for place in turn.order)


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


LONGEST_REST = 300
"""Characters of the names of documents, or of parts of them, that were not read."""


def describe_between(event: Between) -> str:
    """Return in a line what was looked up in the user's documents, or what was settled."""
    if isinstance(event, Noted):
        return _describe_note(event)
    what = "; ".join(on_one_line(query, 160) for query in event.query.split("\n"))
    of = f" of {on_one_line(event.folder)}" if event.folder else ""
    return f"looked up in the documents{of}: {what}{_describe_rest(event)}"


def _describe_rest(event: Searched) -> str:
    """Return what of the documents nobody read, in brackets; empty where all of it was searched."""
    listed = (
        ("not searched", event.unread),
        ("left out", event.left_out or ()),
        ("nothing found in", event.unused or ()),
    )
    told = (
        f"{what}: {on_one_line('; '.join(names), LONGEST_REST)}" for what, names in listed if names
    )
    rest = "; ".join(told)
    return f" ({rest})" if rest else ""


def _describe_note(note: Noted) -> str:
    who = ", ".join(on_one_line(agent, 40) for agent in note.agents)
    if note.what == "dismissed":
        return f"dismissed: {who}: {on_one_line(note.why)}"
    if note.what == "kept":
        return f"not asked: {who}: {on_one_line(note.why)}" if who else on_one_line(note.why)
    if note.what in {"count", "dissent"}:
        return _describe_finding(note, who)
    if note.what in {"remark", "extend", "decide"}:
        late = "" if note.ends else " (too late: it had no effect)"
        return f"a person: {note.what}: {on_one_line(note.why, 400)}{late}"
    end = {"gate": ("accepted", "to be debated"), "stop": ("enough", "goes on")}[note.what]
    compared = _describe_signal(note)
    fitted = f", fitted on {on_one_line(note.fitted_on)}" if note.fitted_on else ""
    return f"{note.what}: {end[not note.ends]}: {on_one_line(note.why)}{compared}{fitted}"


def _describe_finding(note: Noted, who: str) -> str:
    """Return what was counted, or who contradicts and why."""
    if note.what == "count":
        fields = list_fields(note.reading) if note.reading else []
        figures = on_one_line(", ".join(f"{name} {value}" for name, value in fields), 400)
        return f"count: {on_one_line(note.why)}" + (f": {figures}" if figures else "")
    said = f"dissent: {who}: {on_one_line(note.why)}{_describe_signal(note)}"
    return said + (f", turn #{note.turn}" if note.turn else "")


def _describe_signal(note: Noted) -> str:
    """Return the number that a note compares, in brackets; empty without one."""
    if note.signal is None:
        return ""
    bound = "" if note.threshold is None else f", threshold {note.threshold:.3g}"
    return f" ({note.signal:.3g}{bound})"


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


def write_unread(unread: Unread) -> str:
    """Return in a line what could not be read, and who said it."""
    why = f"unread: {on_one_line(unread.why, 160)}"
    if unread.of == 1:  # then the line says who it is
        return why
    return f"{why}: {_name_agents(tuple(dict.fromkeys(unread.agents)))}"


def write_dissent(dissent: Dissent, words: int = 0) -> str:
    """Return a dissent in a line: who, what, where, and so many characters of its words."""
    line = f"dissent: {_name_agents(dissent.agents)} {on_one_line(dissent.why, 100)}"
    line += f", turn #{dissent.turn}" if dissent.turn is not None else ""
    said = on_one_line(dissent.words, words) if words else ""
    return f"{line}: {said}" if said else line


def _name_agents(agents: "Sequence[str]") -> str:
    named = [on_one_line(each, 40) for each in agents]
    return ", ".join(named[:NAMED]) + (f" and {len(named) - NAMED} more" * (len(named) > NAMED))


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
