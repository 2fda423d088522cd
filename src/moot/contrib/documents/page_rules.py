"""Page rules: which elements of a web page its own style hides."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_STYLE = re.compile(r"<style\b([^>]*)>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_MEDIA = re.compile(r"\bmedia\s*=\s*[\"']?([^\"'>]*)", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_PIECE = re.compile(r"[{};]|[^{};]+")
_COMPOUND = re.compile(r"([\w-]*|\*)((?:[.#][\w-]+)*)")
_ATTRIBUTES = re.compile(r"\[[^\]]*\]")
_SHOWN_ON = frozenset(("", "all", "screen", "only screen", "only all", "not print"))
"""Media that are a screen of any size."""
_THROUGH = ("@layer", "@supports", "@scope")
"""Blocks of rules that hold as those outside of them do."""
_PROPERTIES = {"display": {"none"}, "visibility": {"hidden", "collapse"}}

Hiding = dict[str, tuple[bool, bool]]
"""Whether declarations hide by a property, and whether they are marked as important."""


class _Rule(NamedTuple):
    """A rule: the tag, the classes and ids of its elements, and how it hides or shows them."""

    tag: str
    marks: frozenset[str]
    order: int
    hiding: Hiding
    is_nested: bool


class PageRules:
    """The rules of a page's own styles that hide or show elements.

    A rule hides the elements of one tag with classes and ids. A rule that shows what stands within
    other elements shows it wherever it stands.

    Args:
        text: the page.
    """

    def __init__(self, text: str) -> None:
        found: dict[tuple[str, frozenset[str], frozenset[object], bool], _Rule] = {}
        for order, rule in enumerate(_read_rules(text)):
            key = rule.tag, rule.marks, frozenset(rule.hiding.items()), rule.is_nested
            found.pop(key, None)
            found[key] = rule._replace(order=order)
        often = Counter(mark for rule in found.values() for mark in rule.marks)
        self._by_mark: dict[str, list[_Rule]] = {}
        for rule in found.values():
            first = min(rule.marks, key=lambda mark: often[mark], default=rule.tag)
            self._by_mark.setdefault(first, []).append(rule)

    def hide(self, tag: str, named: Mapping[str, str | None]) -> bool:
        """Return whether an element is hidden by the rules or by its own style.

        Args:
            tag: of the element.
            named: its attributes.
        """
        marks = {f".{name}" for name in (named.get("class") or "").split()}
        marks |= {f"#{named['id']}"} if named.get("id") else set()
        own = _read_declarations(named.get("style") or "")
        rules = [
            rule
            for mark in (tag, *marks)
            for rule in self._by_mark.get(mark, ())
            if rule.tag in {"", tag} and rule.marks <= marks
        ]
        return any(_is_hidden(each, own, rules) for each in _PROPERTIES)


def _is_hidden(by: str, own: Hiding, rules: Iterable[_Rule]) -> bool:
    """Return whether the strongest declaration of a property hides."""
    said = [(own[by][1], True, (0, 0, 0), 0, own[by][0])] if by in own else []
    for rule in rules:
        if by in rule.hiding:
            hides, is_important = rule.hiding[by]
            ids = sum(mark[0] == "#" for mark in rule.marks)
            weight = ids, len(rule.marks) - ids, bool(rule.tag)
            said.append((is_important, False, weight, rule.order, hides))
            if rule.is_nested and not hides:  # it may be stronger than it looks
                return False
    return max(said)[-1] if said else False


def _read_rules(text: str) -> Iterator[_Rule]:
    for style in _STYLE.finditer(text):
        media = _MEDIA.search(style[1])
        if media is None or _is_screen(media[1]):
            yield from _read_style(_COMMENT.sub("", style[2]))


def _is_screen(media: str) -> bool:
    return any(" ".join(each.split()).casefold() in _SHOWN_ON for each in media.split(","))


def _read_style(style: str) -> Iterator[_Rule]:
    """Yield the rules that hold on a screen of any size."""
    opened: list[str] = []
    begun, skipped = "", 0
    for piece in _PIECE.findall(style):
        if piece == "{":
            opened.append(begun)
            skipped += begun.startswith("@") and not _holds(begun)
        elif piece == "}" and opened:
            selector = opened.pop()
            if selector.startswith("@"):
                skipped -= not _holds(selector)
        elif piece not in "{};":
            begun = piece.strip()
            if opened and not opened[-1].startswith("@") and not skipped:
                yield from _make_rules(opened[-1], begun)


def _holds(block: str) -> bool:
    name, _, rest = block.partition(" ")
    return _is_screen(rest) if name.casefold() == "@media" else name.casefold() in _THROUGH


def _make_rules(selectors: str, declaration: str) -> Iterator[_Rule]:
    if hiding := _read_declarations(declaration):
        hides = any(each for each, _ in hiding.values())
        for selector in selectors.split(","):
            said = selector if hides else _ATTRIBUTES.sub("", selector)
            *outer, last = re.split(r"[\s>+~]+", said.strip())
            match = _COMPOUND.fullmatch(last)
            if match and not (outer and hides) and last not in {"", "*", "html", "body"}:
                marks = frozenset(re.findall(r"[.#][\w-]+", match[2]))
                tag = match[1].casefold().strip("*")
                yield _Rule(tag, marks, 0, hiding, bool(outer))


def _read_declarations(style: str) -> Hiding:
    """Return whether declarations hide; of a property, the last one holds."""
    found: Hiding = {}
    for each in _COMMENT.sub("", style).split(";"):
        name, _, value = each.partition(":")
        if (by := name.strip().casefold()) in _PROPERTIES:
            said, mark, _ = value.casefold().partition("!")
            found[by] = said.strip() in _PROPERTIES[by], bool(mark)
    return found
