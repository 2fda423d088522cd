"""Moves: whom a contribution to a discussion supports, opposes or carries on, as its words say.

A move is read where a clause names a speaker beside a verb that says it: "I agree with Agent B",
"the Critic overlooks". Nothing is read from a clause without both.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

MoveKind = Literal["supports", "opposes", "extends"]
NEAR = 60
"""Characters of a clause between a name and the words that say the move, at most."""
_NAME = re.compile(r"\b(?:agent ([A-Z])|(?:the )?(critic))(?:['’]s)?\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?<=[.!?;:])\s+|\s*[;—]\s*|,?\s+(?=(?:but|while|whereas|although|though|however|yet)\b)|\n+",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|cannot|can't|don't|doesn't|won't|hardly|no longer|fails? to|refuse to"
    r"|unable to|neither|nor)\b[^,]{0,20}$",
    re.IGNORECASE,
)
_OF_NOTHING = re.compile(
    r"\w*\s+(?:(?:in|on|about|with)\s+)?(?:nothing|none|neither|no|not (?:one|a single))\b",
    re.IGNORECASE,
)
"""Words behind a verb that deny it: "I accept nothing of what Agent B says"."""
_BEFORE: dict[MoveKind, str] = {
    "opposes": (
        r"disagree|object(?:s|ed)? to|reject|dispute|contest|refute|rebut|oppose|contradict|doubt"
        r"|challeng|contrary to|counter(?:s|ing)?\b"
    ),
    "extends": (
        r"build(?:s|ing)? (?:up)?on|add(?:s|ing)? to|extend|tak(?:e|es|ing) up|pick(?:s|ing)? up"
        r"|expand(?:s|ing)? on|elaborat|complement|deepen|carr(?:y|ies|ying) on|develop"
        r"|go(?:es|ing)? further than|follow(?:s|ing)? (?:up )?on"
    ),
    "supports": (
        r"agree(?:s|d|ing)? with|support|endors|second\b|echo|concede|accept|side with|am with"
        r"|share(?:s)?\b|welcome|reinforc|strengthen|confirm|as (?=agent|the critic)"
    ),
}
"""The kind of move to the one who is named behind these words."""
_BEHIND: dict[MoveKind, str] = {
    "opposes": (
        r"(?:is|are|seems?|remains?) (?:simply |plainly |quite |badly )?"
        r"(?:wrong|mistaken|weak|flawed|too narrow|unconvincing|misguided)"
        r"|overlook|ignor|forget|underestimat|overstat|exaggerat"
        r"|misread|misses|falls? short|do(?:es)? not (?:hold|follow)|is not persuasive"
    ),
    "supports": (
        r"(?:is|are) (?:quite |entirely |surely )?(?:right|correct|convincing|persuasive)|rightly"
        r"|(?:good|strong|fair|valid|excellent) point"
    ),
}
"""The kind of move to the one who is named before these words."""


def _join(words: dict[MoveKind, str]) -> re.Pattern[str]:
    kinds = "|".join(f"(?P<{kind}>\\b(?:{said}))" for kind, said in words.items())
    return re.compile(kinds, re.IGNORECASE)


_SAYS_BEFORE, _SAYS_BEHIND = _join(_BEFORE), _join(_BEHIND)
_BUT_NOT = re.compile(r"^but not (?:with |by )?$", re.IGNORECASE)
_OPPOSITE: dict[MoveKind, MoveKind] = {"supports": "opposes"}
"""The kind of a denied move; another one that is denied is none."""


class Move(NamedTuple):
    """A move: a contribution supports, opposes or extends another speaker's.

    Attributes:
        kind: supports, opposes or extends.
        target: ``Agent B`` or ``Critic``.
    """

    kind: MoveKind
    target: str


def read_moves(text: str, speaker: str = "") -> tuple[Move, ...]:
    """Return the moves of a contribution, each once, in their order.

    Args:
        text: its words.
        speaker: who speaks, as others call it: nobody makes a move against himself.
    """
    found = dict.fromkeys(
        move for clause in _CLAUSE.split(text) for move in _read_clause(clause.strip())
    )
    return tuple(move for move in found if move.target.casefold() != speaker.casefold())


def _read_clause(clause: str) -> Iterator[Move]:
    """Yield the moves of a clause: those that its speaker makes, and none that it tells of."""
    names = [*_NAME.finditer(clause)]
    first = names[0].start() if names else 0
    does = [each for each in _SAYS_BEFORE.finditer(clause) if each.start() <= first]
    for place, name in enumerate(names):
        target = f"Agent {name[1].upper()}" if name[1] else "Critic"
        end = names[place + 1].start() if place + 1 < len(names) else len(clause)
        told = _SAYS_BEHIND.search(clause, name.end(), min(end, name.end() + NEAR))
        done = does[-1] if does and name.start() - does[-1].end() <= NEAR else None
        says = told or done
        if _BUT_NOT.match(clause[: name.start()]):
            yield Move("opposes", target)
        elif says and (kind := _find_kind(clause, says)):
            yield Move(kind, target)


def _find_kind(clause: str, says: re.Match[str]) -> MoveKind | None:
    """Return the kind of a move; what is denied is its opposite, or no move."""
    kind: MoveKind = next(each for each in _KINDS if says.groupdict().get(each))
    is_denied = _NOT.search(clause[: says.start()]) or _OF_NOTHING.match(clause, says.end())
    return _OPPOSITE.get(kind) if is_denied else kind


_KINDS: tuple[MoveKind, ...] = get_args(MoveKind)
