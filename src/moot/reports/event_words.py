"""What happens in a debate, in words: turns, look-ups, notes, dissents, what could not be read."""

from collections.abc import Sequence

from moot.core.answer import Dissent
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_duration,
    format_some,
    format_things,
    make_visible,
    on_one_line,
)
from moot.core.events import Noted, Opened, Searched, Turn
from moot.core.readings import describe_reading, list_fields
from moot.core.unread import Unread
from moot.parsing.shuffle import LETTERS

NAMED = 6
"""Agents of one dissent that are named; of further ones only the number."""


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
        format_duration(turn.seconds) if turn.is_timed else "time unknown",
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
        return "read nobody" if turn.reads_known else "whom it read is unknown"
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


def describe_thought(turn: Turn) -> str:
    """Return the text shown in place of hidden thought; empty without thought."""
    if not turn.thought:
        return ""
    if turn.reasoning_tokens is None:
        return f"thought, {format_things(len(turn.thought.split()), 'word')}"
    return f"thought, {format_things(turn.reasoning_tokens, 'token')}"


def _letters(turn: Turn) -> str:
    """Return the original letters of the choices, in the order in which they were shown."""
    return " ".join(LETTERS[place] for place in turn.order)


LONGEST_REST = 300
"""Characters of the names of documents, or of parts of them, that were not read."""


def describe_between(event: Searched | Noted) -> str:
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


def _name_agents(agents: Sequence[str]) -> str:
    return format_some([on_one_line(each, 40) for each in agents], NAMED)


def describe_event(event: Turn | Searched | Noted) -> str:
    """Return what a turn said or why it said nothing; of other events a line of what happened."""
    if isinstance(event, Turn):
        return event.text.strip() or explain_empty(event)
    return describe_between(event)
