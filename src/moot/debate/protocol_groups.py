"""The groups in which protocols are listed: what they have in common, and when to take one."""

from typing import NamedTuple


class ProtocolGroup(NamedTuple):
    """A group of protocols in a list.

    Attributes:
        title: the group's name in a list.
        when: when to take one of its protocols, in a line.
    """

    title: str
    when: str


GROUPS = {
    "votes": ProtocolGroup("Votes", "cheapest, for short answers: agents never read each other"),
    "debates": ProtocolGroup("Debates", "agents read each other's answers and may change theirs"),
    "councils": ProtocolGroup("Councils", "answers are ranked or graded; long texts, many models"),
    "judges": ProtocolGroup("Judges", "sides argue or agents propose, and a judge decides"),
    "networks": ProtocolGroup("Networks", "many agents, wired as groups or as a graph"),
    "gates": ProtocolGroup("Gates", "most questions are easy: debate only where answers differ"),
    "sources": ProtocolGroup("Sources", "answers must come from your documents or from tools"),
    "essays": ProtocolGroup("Essays", "the answer is an argued essay"),
    "oversight": ProtocolGroup("Oversight", "for studies: the right answer has to be known"),
}
"""All groups by name, in the order of a list."""
_ALONE = frozenset({"single", "samples", "control"})
"""The kinds of protocols whose agents never read each other."""


def find_group(stated: str, kind: object, signal: object) -> str:
    """Return the name of a protocol's group.

    Args:
        stated: the group that the protocol names itself; empty where it names none.
        kind: what it is in comparisons.
        signal: what its gate compares with a threshold; empty without a gate.

    Raises:
        TypeError: it names a group that there is not.
    """
    if stated and stated not in GROUPS:
        raise TypeError(f"group {stated!r}: expected one of {', '.join(GROUPS)}")
    usual = "gates" if signal else "votes" if kind in _ALONE else "debates"
    return stated or usual
