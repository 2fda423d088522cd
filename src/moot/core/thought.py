"""Hidden thought: what a reasoning model writes for itself before it answers.

Many endpoints send it in a field of its own. Others leave it in the text, between ``<think>`` and
``</think>``. It is kept apart from the text: other agents, parsers and the agent's own past see the
text alone.
"""

import re
from collections.abc import Iterator

import msgspec

from moot.core.calls import Reply
from moot.core.pieces import PieceKind

MARK = "think>"
"""Part of each text with thought in it; a text without it has none."""

_TAG = re.compile(r"(?<!`)<(/?)think>")
_END = re.compile(r"(?<!`)</think>")
_OPEN = re.compile(r"(?:\A|\n)[ \t]*<think>")


def split_thought(text: str) -> tuple[str, str]:
    """Split a text into its thought and its words.

    - Everything between ``<think>`` and ``</think>`` is thought.
    - ``</think>`` without a beginning ends a thought that the model's chat template began: all
      before it is thought.
    - ``<think>`` without an end, at the beginning of a line, was cut off: all behind it is thought.

    A tag in backquotes is a word like any other.

    Returns:
        The thought and the text, each without white space around it. A text without thought is
        returned as it is.
    """
    if MARK not in text:
        return "", text
    thoughts, rest = _take_closed(text)
    ends = list(_END.finditer(rest))
    if ends:
        thoughts.insert(0, rest[: ends[-1].start()])
        rest = rest[ends[-1].end() :]
    if cut := _OPEN.search(rest):
        thoughts.append(rest[cut.end() :])
        rest = rest[: cut.start()]
    if rest == text:
        return "", text
    return "\n\n".join(part for each in thoughts if (part := each.strip())), rest.strip()


def _take_closed(text: str) -> tuple[list[str], str]:
    """Take out everything between a beginning and the next end, in one pass over the text."""
    thoughts: list[str] = []
    kept: list[str] = []
    begun: re.Match[str] | None = None
    done = 0
    for tag in _TAG.finditer(text):
        if not tag[1]:
            begun = begun or tag
        elif begun is not None:
            thoughts.append(text[begun.end() : tag.start()])
            kept.append(text[done : begun.start()])
            begun, done = None, tag.end()
    return thoughts, "".join([*kept, text[done:]])


def separate_thought(reply: Reply) -> Reply:
    """Return the reply with the thought in its text moved to ``Reply.thought``.

    If the reply is only thought, the tokens of thought are those of the whole reply.
    """
    thought, text = split_thought(reply.text)
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
    told again, as thought.
    """

    def __init__(self) -> None:
        self._thinks = False
        self._rest = ""
        self._words: list[str] = []

    def split(self, text: str) -> Iterator[tuple[PieceKind, str]]:
        """Yield what the next piece adds. What may be a part of a tag waits for the next one."""
        rest = self._rest + text
        while tag := _TAG.search(rest):
            yield from self._tell(rest[: tag.start()])
            if tag[1] and not self._thinks and self._words:
                yield "restarted", ""
                yield "thought", "".join(self._words)
                self._words.clear()
            self._thinks, rest = not tag[1], rest[tag.end() :]
        cut = _find_cut(rest)
        yield from self._tell(rest[:cut])
        self._rest = rest[cut:]

    def _tell(self, text: str) -> Iterator[tuple[PieceKind, str]]:
        if self._thinks and text:
            yield "thought", text
        elif text:
            self._words.append(text)
            yield "text", text


def _find_cut(text: str) -> int:
    """Return the place from which a text may be the beginning of a tag, with its backquote."""
    at = text.rfind("<")
    if at < 0 or not any(tag.startswith(text[at:]) for tag in ("<think>", "</think>")):
        at = len(text)
    return at - text[:at].endswith("`")
