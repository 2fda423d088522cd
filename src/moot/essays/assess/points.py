"""The main points of an essay, as a judge lists them ("Debate-to-Write", appendix B.1)."""

import re

MOST = 5
"""The most points of an essay that count."""
_BULLET = re.compile(r"^(?:[-*•–—>#]+|\(?\d{1,2}[.):]|[(\[]\w[)\]])\s*")
_LEAD = re.compile(r"^(?:final answer|points?(?: \d+)?)\s*:\s*", re.IGNORECASE)


def points_of(text: str) -> tuple[str, ...]:
    """The points that a reply lists, a line each, without bullet or number; the first five.

    A line that only announces a list, ending in a colon, is no point where others follow.
    """
    lines = [
        _LEAD.sub("", _BULLET.sub("", line.strip())).replace("**", "").strip(" *_`")
        for line in text.splitlines()
    ]
    kept = [line for line in lines if any(map(str.isalnum, line))]
    points = [line for line in kept if not line.endswith(":")] or kept
    return tuple(dict.fromkeys(points))[:MOST]
