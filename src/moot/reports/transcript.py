"""One debate, readable in a terminal."""

from typing import TYPE_CHECKING

from moot.core.events import Opened, Searched, Transcript, Turn, Verdict
from moot.core.plain import count, dollars, duration, line, many, plain
from moot.core.questions import Question
from moot.core.readings import describe_reading
from moot.parsing.shuffle import LETTERS
from moot.reports.node_groups import Group, groups
from moot.reports.setup import in_force

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text

LONG = 200
"""Characters from which on the verdict is not shown again in full, where a turn has said it."""


def transcript_view(transcript: Transcript, *, thought: bool = False) -> "RenderableType":
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
    settings = ", ".join(in_force(opened.settings))
    parts: list[RenderableType] = [Text(plain(opened.protocol), style="bold")]
    if settings:
        parts.append(Text(plain(settings), style="dim"))
    if opened.simulated:
        parts.append(Text("SIMULATED. No language model was asked.", style="bold yellow"))
    parts.extend([Text(), *(Text(text) for text in question_lines(opened.question))])
    if opened.opening:
        parts.append(Text(put_forward(opened)))
    parts.append(Text())
    for group in groups(transcript):
        if group.name:
            parts.append(Rule(Text(group.name, style="bold"), align="left", characters="═"))
            parts.append(_about(group))
        shown = 0
        parts.extend(map(_show_search, group.searches.get(0, ())))
        for turn in group.turns:
            if turn.round != shown:
                shown = turn.round
                parts.append(Rule(Text(f"round {shown}"), align="left", style="dim"))
            parts.append(_heading(turn, transcript))
            parts.extend(_thought(turn, whole=thought))
            parts.append(Padding(_show_text(turn), (0, 0, 0, 2)))
            parts.append(Padding(Text(took(turn), style="dim"), (0, 0, 1, 2)))
            parts.extend(map(_show_search, group.searches.get(turn.id, ())))
    parts.extend([Rule(style="dim"), _ending(transcript)])
    return Lines(*parts)


def question_lines(question: Question) -> list[str]:
    """Return the question as it was put: context, text, choices, and what would be right."""
    lines = [plain(question.preceding), ""] if question.preceding else []
    lines.append(plain(question.text))
    pairs = zip(question.letters, question.choices, strict=True)
    lines += [f"  ({letter}) {plain(choice)}" for letter, choice in pairs]
    if question.answers:
        lines.append("right: " + " or ".join(plain(answer) for answer in question.answers))
    return lines


def put_forward(opened: Opened) -> str:
    """Return the values that the opening asks about; empty where the question was asked openly."""
    if not opened.opening:
        return ""
    which = "one of these" if len(opened.opening) > 1 else "this"
    values = ", ".join(" ".join(plain(value).split()) for value in opened.opening)
    return f"opening: asked whether {which} is right: {values}"


def took(turn: Turn) -> str:
    """Return in a line what a turn read, what its reading says, and its tokens, cost and time."""
    tokens = f"{count(turn.prompt_tokens)} + {many(turn.completion_tokens, 'token')}"
    if turn.prompt_tokens is None and turn.completion_tokens is None:
        tokens = "tokens unknown"
    if turn.reasoning_tokens:
        tokens += f", {count(turn.reasoning_tokens)} of them thought"
    parts = [
        "read " + ", ".join(f"#{read}" for read in turn.reads) if turn.reads else "read nobody",
        *([f"{many(turn.removed, 'message')} left out"] if turn.removed else []),
        *([f"choices in the order {_letters(turn)}"] if turn.order else []),
        *([line(reading, 200)] if (reading := describe_reading(turn.reading)) else []),
        tokens + (f" ({turn.cached_tokens:,} cached)" if turn.cached_tokens else ""),
        "cost unknown" if turn.cost is None else dollars(turn.cost),
        duration(turn.seconds),
    ]
    parts += [many(turn.retries, "retry")] if turn.retries else []
    parts += ["cut off"] if turn.finish == "length" else []
    parts += [f"finish: {turn.finish}"] if turn.finish in {"filter", "other"} else []
    parts += ["replayed"] if turn.replayed else []
    return " · ".join(parts)


def all_thought(turn: Turn) -> str:
    """Say why a turn has no text where thought took all its tokens; else return an empty text."""
    if not turn.is_thought_only:
        return ""
    which = "tokens of the reply"
    if turn.completion_tokens is not None:
        which = f"{many(turn.completion_tokens, 'token')} of the reply"
    return f"nothing was said: all {which} went into thought; raise max_tokens, or lower effort"


def lacks_answer(turn: Turn, transcript: Transcript) -> bool:
    """Whether a turn should have an answer and has none.

    A reply to a question without answers to choose from needs none, nor does that of an agent that
    is no debater, such as a judge or a gate.
    """
    if turn.answer is not None or any(
        seat.number == turn.seat and not seat.debater for seat in transcript.seats
    ):
        return False
    return transcript.question.kind != "text" or not turn.text.strip()


def thought_of(turn: Turn) -> str:
    """Return what stands in place of hidden thought that is not shown; empty without thought."""
    if not turn.thought:
        return ""
    if turn.reasoning_tokens is None:
        return f"thought, {many(len(turn.thought.split()), 'word')}"
    return f"thought, {many(turn.reasoning_tokens, 'token')}"


def _thought(turn: Turn, *, whole: bool) -> "Iterator[RenderableType]":
    from rich.padding import Padding
    from rich.text import Text

    if turn.thought:
        told = thought_of(turn)
        told = f"{told}:\n{plain(turn.thought)}" if whole else f"{told} (--thought shows it)"
        yield Padding(Text(told, style="dim italic"), (0, 0, 0, 2))


def _show_text(turn: Turn) -> "Text":
    from rich.text import Text

    note = all_thought(turn)
    return Text(note, style="yellow") if note else Text(plain(turn.text))


def _letters(turn: Turn) -> str:
    """Return the original letters of the choices, in the order in which they were shown."""
    return " ".join(LETTERS[place] for place in turn.order)


def _about(group: Group) -> "RenderableType":
    from rich.text import Text

    told = Text(group.about, style="dim")
    if group.whole:
        return told
    if group.ended is None:
        return Text("came to no verdict", style="yellow")
    return Text.assemble(told, " · ", _verdict(group.ended.verdict))


def _heading(turn: Turn, transcript: Transcript) -> "RenderableType":
    from rich.text import Text

    came = (" → ", (line(turn.answer or ""), "bold"))
    if turn.answer is None:
        asked = lacks_answer(turn, transcript)
        came = (" → ", ("no answer", "yellow")) if asked else (" · ", (line(turn.step), "bold"))
    return Text.assemble(
        (f"#{turn.id} ", "dim"),
        (line(turn.agent), "bold cyan"),
        (f" ({line(turn.role)}, {line(turn.model)})", "dim"),
        *came,
    )


def looked_up(search: Searched) -> str:
    """Return what was looked up in the user's documents, in a line."""
    what = "; ".join(line(query, 160) for query in search.query.split("\n"))
    return f"looked up in the documents: {what}"


def _show_search(search: Searched) -> "RenderableType":
    from rich.console import Group as Lines
    from rich.padding import Padding
    from rich.text import Text

    told: list[RenderableType] = [Text(looked_up(search), style="cyan")]
    for passage in search.passages:
        told.append(Padding(Text(f"[{passage.number}] {line(passage.source)}"), (0, 0, 0, 2)))
        told.append(Padding(Text(plain(passage.text), style="dim"), (0, 0, 0, 4)))
    if not search.passages:
        told.append(Padding(Text("nothing found", style="yellow"), (0, 0, 0, 2)))
    return Padding(Lines(*told), (0, 0, 1, 0))


def _ending(transcript: Transcript) -> "RenderableType":
    from rich.text import Text

    if failed := transcript.failed:
        return Text(f"failed: {line(failed.kind)}: {plain(failed.reason)}", style="bold red")
    verdict = transcript.verdict
    if verdict is None:
        return Text("not ended", style="yellow")
    return _verdict(verdict)


def _verdict(verdict: Verdict) -> "Text":
    from rich.text import Text

    answer = "none (unparsed)" if verdict.answer is None else plain(verdict.answer)
    if verdict.turn is not None and len(answer) > LONG:
        answer = line(answer)  # the turn that it is has been shown
    votes = ", ".join(f"{line(a)}: {n}" for a, n in verdict.votes.items())
    by = f" by {line(verdict.by)}" + (f" ({votes})" if votes else "")
    by += f", turn #{verdict.turn}" if verdict.turn is not None else ""
    return Text.assemble(("verdict: ", "bold"), (answer, "bold green"), by)
