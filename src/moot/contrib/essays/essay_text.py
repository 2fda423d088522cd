"""Essays: the text that was written, without what a model puts around it."""

import re

from moot.extend.words import replace_surrogates

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


_AROUND = re.compile(
    r"[-*_=]{3,}|[(\[*_]{0,3}(?:total )?(?:word|character) count\W{1,5}\d[\d,.]*[^\n]{0,20}"
    r"|[(\[]\d+ words[)\]]|end of essay\W*"
    r"|(?:i hope (?:this|it|the essay)\b[^\n]{0,80}(?:help|meet|useful)\w*"
    r"|(?:please )?let me know (?:if|how)"
    r"|(?:please )?feel free to (?:ask|reach|let|adjust|modify)"
    r"|(?:would you|if you(?:'d| would)) like me to"
    r"|is there anything else|do you want me to)\b[^\n]{0,300}",
    re.IGNORECASE,
)
"""A line at either end that is no part of an essay."""
_LABEL = re.compile(
    r"^[*_ \t]{0,4}(?:introduction|conclusion|counter-?arguments?|rebuttal|thesis(?: statement)?"
    r"|acknowledge?ment|body|(?:body |main )?(?:paragraph|point|argument) \d{1,2})"
    r"[*_ \t]{0,3}:[*_ \t]{0,4}",
    re.IGNORECASE | re.MULTILINE,
)
"""A word that names a part of an essay, before that part; a heading of its own stays."""


def read_essay(text: str) -> str | None:
    """Return the essay in a reply; None where there is none.

    A fence around it goes, and so do a line that announces it, "Essay:" and a heading that says no
    more than that. So do rules at either end, a count of words, offers to help further, and labels
    such as "Counterargument:" before what they name. Its own title stays, and so do headings.
    """
    essay = replace_surrogates(text).strip()
    if fence := _FENCE.match(f"{essay}\n"):
        inside = essay[fence.end() - 1 :]
        body, closed, after = inside.rpartition("\n```")
        essay = (body if closed and len(after) <= _AFTER else inside).strip()
    return _LABEL.sub("", _trim(essay)).strip() or None


def _trim(text: str) -> str:
    """Return a text without what stands at its ends and is no part of an essay."""
    lines = text.split("\n")
    while lines and _is_around(lines[-1]):
        lines.pop()
    rest = "\n".join(lines)
    start = 0
    while start < len(rest):
        end = rest.find("\n", start)
        line = rest[start:] if end < 0 else rest[start:end]
        if _is_around(line):
            start += len(line) + 1
        elif lead := _LEAD.match(rest, start + len(line) - len(line.lstrip())):
            start = lead.end()
        else:
            break
    return rest[start:]


def _is_around(line: str) -> bool:
    """Return whether a line at either end is blank, or no part of an essay."""
    return not line.strip() or _AROUND.fullmatch(line.strip()) is not None
