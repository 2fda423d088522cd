"""Essays: the text that was written, without what a model puts around it."""

import re

from moot.core.texts import replace_surrogates

_FENCE = re.compile(r"[^\n`]{0,200}\n?```[a-z]{0,12}[ \t]*\n")
_AFTER = 200
"""The most characters that follow a fence around an essay."""
_LEAD = re.compile(
    r"(?:[#*_> \t]{0,6}(?:(?:the |an? |my |final |refined |revised |persuasive |supporting |support"
    r"|(?:counter-?)?argumentative |(?:counter-?)?argument ){0,4}(?:counter-?)?essay|output)"
    r"[*_ \t]{0,4}(?::[*_ \t]{0,4}\s*|\n+)"
    r"|(?:sure|certainly|of course|here(?:'s| is| are))\b[^\n]{0,150}:[*_ \t]{0,4}\n+){1,3}",
    re.IGNORECASE,
)


def read_essay(text: str) -> str | None:
    """Return the essay in a reply; None where there is none.

    A fence around it goes, and so do a line that announces it, "Essay:" and a heading that says no
    more than that. Its own title stays.
    """
    essay = replace_surrogates(text).strip()
    if fence := _FENCE.match(f"{essay}\n"):
        inside = essay[fence.end() - 1 :]
        body, closed, after = inside.rpartition("\n```")
        essay = (body if closed and len(after) <= _AFTER else inside).strip()
    if lead := _LEAD.match(essay):
        essay = essay[lead.end() :]
    return essay.strip() or None
