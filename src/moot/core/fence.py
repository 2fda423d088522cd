"""Fence: how a text that others wrote stands in a prompt, so that it passes for nothing else."""

import re

from moot.core.display_text import make_visible

_TICKS = re.compile(r"`{3,}")
_CONTROL = re.compile(
    r"<(?=[|｜][^|｜<>\n]{1,60}[|｜]>)"  # <|im_start|>, <｜User｜>
    r"|<(?=/?(?:start_of_turn|end_of_turn|bos|eos|s|pad|unk)>)"
    r"|\[(?=/?INST\])"
    r"|<(?=</?SYS>>)",
    re.IGNORECASE,
)
"""The beginning of what chat templates of models mark messages and roles with."""


def fence_text(text: str, *, as_data: bool = False) -> str:
    """Return a text between two lines of backquotes, more than it has in a row.

    So it cannot end its fence.

    Args:
        text: what others wrote.
        as_data: whether it stands there as a document or a tool's result does: characters that
            cannot be seen are shown by their number, since a person reads what an agent reads, and
            control words are broken.
    """
    if as_data:
        text = break_control_words(make_visible(text))
    fence = "`" * max(3, *(len(each) + 1 for each in _TICKS.findall(text)), 3)
    return f"{fence}\n{text.strip(chr(10))}\n{fence}"


def break_control_words(text: str) -> str:
    """Return a text whose control words of chat templates are broken by a space.

    A model that runs here would read ``<|im_start|>`` in a document as the beginning of a message.
    All else stays as it is.
    """
    return _CONTROL.sub(lambda found: f"{found[0]} ", text)
