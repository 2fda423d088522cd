"""Plans: the outline of an essay, main points with sub-points, and how a reply is read as one."""

import re
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import msgspec

from moot import Reading
from moot.extend.protocols import load_json, make_plain


class PlanPoint(msgspec.Struct, frozen=True):
    """A main point of a plan, with the sub-points that support it, in order."""

    text: str
    supports: tuple[str, ...] = ()


class EssayPlan(Reading, frozen=True, kw_only=False, tag="plan"):
    """The plan of an essay.

    Attributes:
        acknowledgment: what is granted to the other side; None if nothing.
        points: the main points, in the order in which the essay makes them.
    """

    acknowledgment: str | None = None
    points: tuple[PlanPoint, ...] = ()


_LONGEST = 24_000
"""Characters read of a longer plan."""

_ACKNOWLEDGED = re.compile(
    r"(?:optional )?ac?knowledge?ments?(?: point)?\b|concessions?(?= ?(?:[:–-]|$))", re.IGNORECASE
)


_PLACEHOLDER = re.compile(
    r"(?:a |the |first |second )?(?:main point|sub-?point)$|(?:\.\.\.|…)$",
    re.IGNORECASE,
)
"""The words of a form where something is to be filled in."""


def read_plan(text: str, finished: bool = True) -> EssayPlan | None:  # noqa: FBT001, FBT002 - as extract
    """Read an outline: main points, their sub-points, what is acknowledged; None without a point.

    A main point is a numbered line, a sub-point a line below it with a bullet, a letter or more
    indent. Without numbers, headings are the main points, else the bullets that are indented least.
    JSON is read too. Of a reply that was cut off the line that it was cut in does not count.

    Args:
        text: the reply.
        finished: False when the reply was cut off for length.

    Source: Debate-to-Write, appendix A.2 and figures 5 to 7.
    """
    text = text[:_LONGEST]
    outline = _points_of_json(load_json(text, _JSON, finished=finished)) or _outline(
        text, finished=finished
    )
    outline = [point for point in outline if not _PLACEHOLDER.match(point.text)]
    points = [point for point in outline if not _ACKNOWLEDGED.match(point.text)]
    granted = [point for point in outline if _ACKNOWLEDGED.match(point.text)]
    if not points:
        return None
    return EssayPlan(_acknowledgment(granted[0]) if granted else None, tuple(points))


def _acknowledgment(point: PlanPoint) -> str | None:
    """Return the point that is acknowledged: the text after the word, and below it."""
    said = _ACKNOWLEDGED.sub("", point.text, count=1).lstrip(" :-–—.)")
    return " ".join(filter(None, (said, *point.supports))) or None


_JSON = re.compile(r"(?:\[\s{0,20})?\{\s{0,20}[\"']")
_ACKNOWLEDGES = frozenset(("acknowledgment", "acknowledgement", "concession"))


def _points_of_json(loaded: Any) -> list[PlanPoint]:  # noqa: ANN401 - JSON is anything
    """Return the points of a plan in JSON; an acknowledgment is a point that says so."""
    if isinstance(loaded, list):
        return [point for each in loaded if (point := _point(each))]
    if not isinstance(loaded, dict):
        return []
    found = []
    for key, value in loaded.items():
        if _ACKNOWLEDGES.intersection(re.findall("[a-z]+", str(key).casefold())):
            if isinstance(value, str) and value.strip():
                found.append(PlanPoint(f"Acknowledgment: {_line(value)}"))
        elif isinstance(value, list):
            found += [point for each in value if (point := _point(each))]
        elif isinstance(value, dict):
            found += _points_of_json(value)
    return found


def _point(each: Any) -> PlanPoint | None:  # noqa: ANN401 - JSON is anything
    """Return the point of a text, or of an object with a text and a list."""
    if isinstance(each, str):
        return PlanPoint(_line(each)) if _line(each) else None
    if not isinstance(each, dict):
        return None
    texts = [_line(value) for value in each.values() if isinstance(value, str) and _line(value)]
    lists = [value for value in each.values() if isinstance(value, list)]
    supports = [_line(item) for item in (lists[0] if lists else ()) if isinstance(item, str)]
    return PlanPoint(texts[0], tuple(filter(None, supports))) if texts else None


_NUMBER = re.compile(
    r"[-#*_>( ]{0,6}(?:(?:main )?(?:point|idea) ?)?(?:\d{1,2}|(?-i:[IVX]{1,4})) ?"
    r"[.):](?=[\s*_])[*_ ]*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-*•–+◦▪‣·]|\(?[a-z][.)]|\d{1,2}\.\d{1,2}[.)]?)(?=\s)\s*", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6} |\*\*[^*]+\*\*:?$|(?:(?:main )?point ?\d)", re.IGNORECASE)
_SUBPOINT = re.compile(r"sub-?points?(?: ?\d{1,2}(?:\.\d{1,2})?)? ?[:.-] ?", re.IGNORECASE)
_GRANTS = re.compile(rf"(?:{_ACKNOWLEDGED.pattern}) ?(?:[:–-]|$)", re.IGNORECASE)
_TITLE = re.compile(r".{0,40}\b(?:plan|outline)\b.{0,40}$", re.IGNORECASE)


def _outline(text: str, *, finished: bool) -> list[PlanPoint]:
    """Return the points of an outline in lines."""
    lines = dedent(text).split("\n")
    if not finished:
        lines.pop()
    for begins in (_is_numbered, _is_heading, _bullet_test(lines)):
        if any(begins(line) for line in lines):
            return _group_points(lines, begins)
    return []


def _is_numbered(line: str) -> bool:
    """Return whether a line is a main point by its number; an indented one is a sub-point."""
    return _indent(line) < 2 and bool(_NUMBER.match(line))


def _is_acknowledgment(line: str) -> bool:
    """Return whether a line says what is acknowledged, numbered or not."""
    return _indent(line) < 2 and bool(_GRANTS.match(_line(line, keeps=":")))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_heading(line: str) -> bool:
    return bool(_HEADING.match(line)) and not _TITLE.match(_line(line))


def _bullet_test(lines: list[str]) -> Callable[[str], bool]:
    """Return a test for the bullets that are indented least."""
    bullets = [line for line in lines if _BULLET.match(line.lstrip())]
    least = min(map(_indent, bullets), default=0)

    def begins(line: str) -> bool:
        return _indent(line) <= least and bool(_BULLET.match(line.lstrip()))

    return begins


def _group_points(lines: list[str], begins: Callable[[str], bool]) -> list[PlanPoint]:
    """Return a point for each line that begins one, with the lines below it as its supports."""
    found: list[tuple[str, list[str]]] = []
    open_end = bulleted = False
    for line in lines:
        said = _line(line)
        bulleted, follows = bool(_BULLET.match(line.lstrip())), bulleted and open_end
        if said and (begins(line) or _is_acknowledgment(line)):
            found.append((said, []))
        elif said and follows and not bulleted and found and found[-1][1] and line[0].isspace():
            found[-1][1][-1] += f" {said}"  # a sub-point's second line
            bulleted = True
        elif said and found and (open_end or _BULLET.match(line.lstrip()) or line[0].isspace()):
            found[-1][1].append(said)
        open_end = bool(said)
    return [
        PlanPoint(text, tuple(each for each in supports if not _PLACEHOLDER.match(each)))
        for text, supports in found
    ]


def _line(text: str, *, keeps: str = "") -> str:
    """Return a line without its number, bullet and markdown, and without a colon at its end."""
    body = text.strip()
    for lead in (_NUMBER, _BULLET, _NUMBER):
        body = body[found.end() :] if (found := lead.match(body)) else body
    body = " ".join(make_plain(body).split()).strip(" #*_")
    body = _SUBPOINT.sub("", body, count=1)
    return (body if keeps else body.removesuffix(":")).strip()
