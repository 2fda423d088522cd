"""What every protocol promises, read from ``table.toml``; ``tests/protocols`` holds all to it.

A label is a protocol's name, or its name and a variant of it whose settings change who is asked.
Protocols that run on a library of others are held to it where that is installed.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from moot.core.calls import Call, Reply
from moot.debate.protocol import registry
from support.promises import speakers

Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Promise:
    """One row.

    Attributes:
        fixed: the settings that make the variant.
        settings: of the one debate that is looked at turn by turn.
        replies: to that debate, in the order in which its turns are asked for.
        reads: by turn of that debate, what its agent has in front of it.
        grid: the settings over which calls are counted, each with its least and greatest value.
        calls: how many there are, by settings and the round in which a debate ends by itself.
        ends: which of the grid says how late that can be.
        speaks: a reply with which a debate ends by itself in a round, and not before.
        exact: whether the protocol's formulas say how many calls this variant makes; else they are
            bounds over all variants.
        order_blind: the role whose agents may change places without a change of an untied verdict.
        decides: the answer of the verdict of a debate that ends in the first round.
    """

    fixed: Settings = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)
    replies: tuple[str | Reply, ...]
    reads: Mapping[int, set[int]]
    grid: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    calls: Callable[[Settings, int], int]
    ends: str = "rounds"
    speaks: Callable[[Call, int], str] = speakers.speak
    exact: bool = True
    order_blind: str = ""
    decides: str = "4"


def count_turn(best_of: int, critiques: int) -> int:
    """The calls of one argument: drafts, critiques, and what rates either."""
    drafts = best_of * (2 if critiques else 1)
    rated = [each for each in (drafts * (best_of > 1), critiques) if each > 1]
    return drafts + critiques + sum(rated)


def formula(text: str) -> Callable[[Settings, int], int]:
    code = compile(text, "table.toml", "eval")
    known = {"count_turn": count_turn}
    return lambda has, ends: eval(code, known, {**has, "ends": ends})


def numbers(text: str) -> list[int]:
    ends = [[int(end) for end in part.split("-")] for part in text.split(",") if part.strip()]
    return [number for each in ends for number in range(each[0], each[-1] + 1)]


def read_row(row: dict[str, Any]) -> Promise:
    """One row, whose reads are turns and what these read: ``1-3:; 4-6: 1-3``."""
    groups = [group.split(":") for group in row["reads"].split(";")]
    row["reads"] = {turn: set(numbers(read)) for turns, read in groups for turn in numbers(turns)}
    row["replies"] = msgspec.convert(row["replies"], tuple[str | Reply, ...])
    row["calls"] = formula(row["calls"])
    row["speaks"] = getattr(speakers, row.get("speaks", "speak"))
    return Promise(**row)


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PROMISES = {name: read_row(row) for name, row in _TABLE.items()}

HERE = sorted(name for name in PROMISES if registry.get(name.partition(":")[0]).is_installed)
"""Those that can be held in this environment; the others are in that of ``society``."""

every_variant = pytest.mark.parametrize("name", HERE)
every_protocol = pytest.mark.parametrize("name", [name for name in HERE if ":" not in name])
