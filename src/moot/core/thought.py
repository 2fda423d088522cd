"""Hidden thought: what a reasoning model writes for itself before it answers.

Many endpoints send it in a field of its own. Others leave it in the text, between marks such as
``<think>`` and ``</think>``; ``moot.core.thought_marks`` has all of them. It is kept apart from the
text: other agents, parsers and the agent's own past see the text alone.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from moot.core.calls import Reply
from moot.core.ports import PieceKind
from moot.core.thought_marks import (
    CONTROL,
    MARKS,
    RECORDED,
    FoundMark,
    MarkReader,
    ThoughtMark,
    find_begun_mark,
    may_hold_marks,
)

RECORDED_MARK = "think>"
"""Part of each text with thought that was recorded before moot kept thought apart."""

Pair = tuple[FoundMark, FoundMark]

_WORD_MARKS = tuple(each for each in MARKS if each.first)
_MAY_BEGIN = re.compile(r"[<\[◁`]")
_reader = MarkReader(MARKS)
_recorded = MarkReader(RECORDED, exactly=True)


class _Division(NamedTuple):
    """The parts of a text: its thoughts, its words, and the mark of the thought that it is in."""

    thoughts: list[str]
    words: str
    inside: ThoughtMark | None = None


def split_thought(text: str, reader: MarkReader = _reader) -> tuple[str, str]:
    """Split a text into its thought and its words.

    - Everything between a beginning and the next end of the same kind is thought.
    - An end without a beginning ends a thought that the model's chat template began: all before it
      is thought.
    - A beginning without an end, at the beginning of a line, was cut off: all behind it is thought.

    A mark in backquotes is a word like any other.

    Args:
        text: of a reply.
        reader: finds the marks.

    Returns:
        The thought and the text, each without white space around it. A text without thought is
        returned as it is.
    """
    divided = _divide(text, reader)
    if divided is None:
        return "", text
    thought = "\n\n".join(part for each in divided.thoughts if (part := each.strip()))
    return thought, divided.words.strip()


def _divide(text: str, reader: MarkReader, *, comes: bool = False) -> _Division | None:
    """Divide a text; None where it has no thought.

    Args:
        text: of a reply.
        reader: finds the marks.
        comes: whether more of the text is to come, so that each beginning may have its end.
    """
    marks = reader.find(text) if may_hold_marks(text) else []
    if not marks:
        return None
    pairs, lone = _pair(marks)
    ends = [each for each in lone if not each.begins and each.mark.alone]
    begin = ends[-1].stop if ends else 0
    cut = _find_cut(text, begin, pairs, lone, comes=comes)
    if not (pairs or ends or cut):
        return None
    thoughts = [_keep(text, 0, ends[-1].start, pairs)] if ends else []
    thoughts += [text[first.stop : last.start] for first, last in pairs]
    words = _keep(text, begin, len(text) if cut is None else cut.start, pairs)
    if cut is not None:
        thoughts.append(_keep(text, cut.stop, len(text), pairs))
    if any(each.mark.begin.startswith("<|") for each in marks):
        thoughts, words = [CONTROL.sub("", each) for each in thoughts], CONTROL.sub("", words)
    return _Division(thoughts, words, None if cut is None else cut.mark)


def _pair(marks: Sequence[FoundMark]) -> tuple[list[Pair], list[FoundMark]]:
    """Return each beginning with the next end of its kind, and the marks outside of these pairs."""
    last = {each.mark.end: at for at, each in enumerate(marks) if not each.begins}
    pairs: list[Pair] = []
    lone: list[FoundMark] = []
    begun: FoundMark | None = None
    for at, each in enumerate(marks):
        if begun is None and each.begins and last.get(each.mark.end, -1) > at:
            begun = each
        elif begun is None:
            lone.append(each)
        elif not each.begins and each.mark.end == begun.mark.end:
            pairs.append((begun, each))
            begun = None
    return pairs, lone


def _find_cut(
    text: str, begin: int, pairs: Sequence[Pair], lone: Sequence[FoundMark], *, comes: bool
) -> FoundMark | None:
    """Return the first beginning, from a place on, of a thought that was cut off, or is coming."""
    fresh, done = True, begin
    for each in lone:
        if not each.begins or each.start < begin:
            continue
        _, broken, line = _keep(text, done, each.start, pairs, apart=False).rpartition("\n")
        fresh, done = not line.strip(" \t") and (fresh or bool(broken)), each.start
        if comes or each.mark.cut == "anywhere" or (each.mark.cut == "line" and fresh):
            return each
    return None


def _keep(text: str, start: int, stop: int, pairs: Sequence[Pair], *, apart: bool = True) -> str:
    """Return a part of a text without what stands between marks.

    Words that thought kept apart stay apart, if wanted: "1" and "2" do not become "12".
    """
    kept: list[str] = []
    for first, last in pairs[bisect_left(pairs, start, key=lambda pair: pair[0].start) :]:
        if first.start >= stop:
            break
        kept.append(text[start : first.start])
        if apart and _touch(text[start : first.start], text[last.stop : last.stop + 1]):
            kept.append("\n")
        start = last.stop
    return "".join([*kept, text[start:stop]])


def _touch(before: str, after: str) -> bool:
    """Whether no white space is between two texts."""
    return bool(before and after) and not (before[-1].isspace() or after[0].isspace())


def separate_thought(reply: Reply) -> Reply:
    """Return the reply with the thought in its text moved to ``Reply.thought``.

    If the reply is only thought, the tokens of thought are those of the whole reply.
    """
    return _separate(reply, _reader)


def separate_recorded_thought(reply: Reply) -> Reply:
    """Return a recorded reply with its thought apart, by the marks that counted at its time.

    So a stored run sends the same prompts when it is replayed.
    """
    return _separate(reply, _recorded) if RECORDED_MARK in reply.text else reply


def _separate(reply: Reply, reader: MarkReader) -> Reply:
    thought, text = split_thought(reply.text, reader)
    if text is reply.text:
        return reply
    tokens = reply.reasoning_tokens
    if tokens is None and not text and thought:
        tokens = reply.completion_tokens
    thought = "\n\n".join(part for part in (reply.thought, thought) if part)
    return msgspec.structs.replace(reply, text=text, thought=thought, reasoning_tokens=tokens)


class ThoughtSplitter:
    """Splits a text that comes in pieces into words and thought, as ``split_thought`` does.

    Where the text itself ends a thought that the model's chat template began, the words so far are
    told again, as thought. So are all words where the end of the text shows them to be another
    thing than they seemed.
    """

    def __init__(self) -> None:
        self._whole: list[str] = []
        self._rest = ""
        self._inside: ThoughtMark | None = None
        self._told: dict[PieceKind, list[str]] = {"text": [], "thought": []}

    def split(self, text: str) -> Iterator[tuple[PieceKind, str]]:
        """Yield what the next piece adds. What may be a part of a mark waits for the next one."""
        first = not (self._told["text"] or self._told["thought"])
        self._whole.append(text)
        in_words = self._inside is not None and self._inside.first
        if not (first or self._rest or in_words or _MAY_BEGIN.search(text)):
            yield from self._tell("text" if self._inside is None else "thought", text)
            return
        rest = self._rest + text
        ends = self._inside is not None and in_words and self._inside.end in rest
        cut = len(rest) if ends else self._find_hold(rest, first=first)
        self._rest = rest[cut:]
        if ends or (may_hold_marks(rest[:cut]) and _reader.find(rest[:cut])):
            whole = "".join(self._whole)
            divided = _divide(whole[: len(whole) - len(self._rest)], _reader, comes=True)
            yield from self._correct(divided or _Division([], whole))
        else:
            yield from self._tell("text" if self._inside is None else "thought", rest[:cut])

    def finish(self) -> Iterator[tuple[PieceKind, str]]:
        """Yield what the end of the text adds: what waited, or all of it where it is otherwise."""
        whole = "".join(self._whole)
        yield from self._correct(_divide(whole, _reader) or _Division([], whole))

    def _correct(self, divided: _Division) -> Iterator[tuple[PieceKind, str]]:
        """Yield what was not told yet; everything again where something else was told."""
        thought, self._inside = "".join(divided.thoughts), divided.inside
        told = {kind: "".join(pieces) for kind, pieces in self._told.items()}
        if not (divided.words.startswith(told["text"]) and thought.startswith(told["thought"])):
            yield "restarted", ""
            self._told, told = {"text": [], "thought": []}, {"text": "", "thought": ""}
        yield from self._tell("thought", thought[len(told["thought"]) :])
        yield from self._tell("text", divided.words[len(told["text"]) :])

    def _tell(self, kind: PieceKind, text: str) -> Iterator[tuple[PieceKind, str]]:
        if text:
            self._told[kind].append(text)
            yield kind, text

    def _find_hold(self, rest: str, *, first: bool) -> int:
        """Return the place from which a text waits: it may be the beginning of a mark."""
        at = find_begun_mark(rest, first=first)
        if at and (first or (self._inside is not None and self._inside.first)):
            ends = (each.end for each in _WORD_MARKS if first or each is self._inside)
            last = range(max(0, at - 40), at)
            places = (n for end in ends for n in last if end.startswith(rest[n:]))
            at = min(places, default=at)
        return at - rest[:at].endswith("`")
