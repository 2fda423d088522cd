"""Free text: the words a reply commits to where the question is open."""

import re

from moot.parsing.plain_text import drop_middle

_COLON = re.compile(
    r"(?:\bfinal answer|(?:^|\n)[ *_#]{0,20}(?:(?:so|therefore|thus),? )?(?:the |my )?"
    r"(?:correct |updated )?answer(?: to (?:the|this|your) question)?)"
    r"[*_]{0,3}(?: is| would be)?\s?[*_]{0,3}:[*_:]{0,4}\s?",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"[\"'](?:debate|final)?[ _]?answer[\"'] ?: ?"
    r"(?:\"(?P<two>(?:[^\"\\\n]|\\.){0,2000}+)\"|'(?P<one>(?:[^\"\\\n]|\\.){0,2000}?)')"
    r"(?=\s{0,20}[,}])",
    re.IGNORECASE,
)
_TAGGED = re.compile(
    r"<(?:final[ _-]?)?answer>([^<>]{1,2000})</(?:final[ _-]?)?answer>", re.IGNORECASE
)
_IS = re.compile(
    r"(?:(?:so|therefore|thus|hence),? )?(?:the|my) (?:final |correct |updated )?answer"
    r"(?: to (?:the|this|your) question)? (?:is|would be) (?!not\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[^\W\d_]{3})[.!?](?=\s+[A-Z])")
_JUDGED = re.compile(r"(?:in)?correct|right|wrong", re.IGNORECASE)
_LABEL = re.compile(r"^a: ?", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"[\"'<\[({]*(?:x|\.\.\.|…|(?:the )?answer|your (?:final )?answer(?: here)?|insert .{0,40}"
    r"|your answer in .{0,40})[\"'>\])}.]*$"
    r"|[<\[({][^>\])}\n]{1,60}[>\])}]\.?$"
    r"|x\W",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?:\"([^\"]+)\"|“([^“”]+)”|'([^']+)')[*_`]*[.!]?$")


def read(text: str, *, finished: bool) -> str | None:
    """Return the words under the reply's last answer marker; without one, the whole reply.

    Returns:
        None if a reply without a marker was cut off, or if the words are a placeholder.
    """
    text = text.strip()
    seen = drop_middle(text)
    if field := _FIELD.search(seen):
        words = field["two"] if field["one"] is None else field["one"]
        if not words.isspace():
            return words.strip() or None
    tagged = _TAGGED.findall(seen) if "answer>" in seen.lower() else ()
    if tagged and (words := _bare(tagged[-1])) and not _PLACEHOLDER.match(words):
        return words
    found = list(_COLON.finditer(seen))
    for match in reversed(found):
        body = seen[match.end() :].lstrip()
        line, ended, _ = body.partition("\n")
        words = _bare(line)
        said_so = words and words[-1] != ":" and not _PLACEHOLDER.match(words)
        if said_so and (finished or ended):
            return words
    if found:
        return None
    lines = text.split("\n")
    for line in (lines[0], lines[-1]) if finished else lines[:1] if len(lines) > 1 else ():
        if said := _IS.match(line):
            rest = line[said.end() :]
            end = _SENTENCE.search(rest)
            words = _bare(rest[: end.end()] if end else rest)
            return None if _JUDGED.match(words) else words or None
    return (_LABEL.sub("", text, count=1) or None) if finished else None


def _bare(words: str) -> str:
    """Return the words without the quotes or the marks of emphasis around them."""
    words = words.strip(" \t*_`")
    quoted = _QUOTED.match(words)
    return (quoted[quoted.lastindex or 0] if quoted else words).strip(' \t*_`"').strip()
