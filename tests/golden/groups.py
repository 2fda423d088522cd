"""The groups of golden files: what makes each, and how its differences are told."""

from collections.abc import Callable
from dataclasses import dataclass

from golden import analyses, bodies, commands, debates, differences, packed, stores

KINDS = ("figures", "words")


@dataclass(frozen=True)
class Group:
    """What it holds, what makes its figures and words, and what tells a difference in words.

    Numbers of a group that ``rounds`` depend on the processor in their last digits.
    """

    about: str
    make: Callable[..., dict[str, packed.Values]]
    tell: Callable[[differences.Difference], str] = differences.tell
    rounds: bool = False


GROUPS = {
    "debates": Group(
        "events, reads, draws, identities, run keys, verdicts and values of every protocol",
        debates.make,
        differences.tell_debate,
    ),
    "analyses": Group("the JSON of every analysis on recorded runs", analyses.make, rounds=True),
    "stores": Group("stores of earlier commits: shown, and run again unpaid", stores.make),
    "http": Group("bodies of the server, and what its pages show", bodies.make),
    "help": Group("the help of every command", commands.make),
}


def check(
    name: str, made: dict[str, packed.Values], kind: str, most: int = 20, *, part: bool = False
) -> list[str]:
    """Return in words what differs in a group from what is recorded; empty for nothing.

    With ``part`` only what was made is compared.
    """
    before = packed.read(f"{name}.{kind}")
    if part:
        before = {item: before[item] for item in made[kind] if item in before}
    found = differences.compare(before, made[kind], rounds=GROUPS[name].rounds)
    lines, count = differences.sum_up(found, GROUPS[name].tell, most)
    if count > len(lines):
        lines.append(f"{count} values differ in all")
    return lines


def record(name: str, made: dict[str, packed.Values], *, figures: bool) -> dict[str, int]:
    """Keep a group's words, and figures where that is said; return the bytes of each file."""
    kinds = [kind for kind in made if figures or kind == "words"]
    return {f"{name}.{kind}": packed.write(f"{name}.{kind}", made[kind]) for kind in kinds}
