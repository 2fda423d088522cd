"""The formula of a protocol's calls over its settings, such as ``agents * rounds``."""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from moot.core.errors import UnknownName
from moot.core.recorded_settings import WithinSettings, read_settings

_SIGNS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def evaluate_formula(
    formula: str,
    settings: Mapping[str, Any],
    count_within: Callable[[Mapping[str, Any]], tuple[int, int]],
    end: int,
) -> int:
    """Return the value of a formula: names are settings; whole numbers, ``+``, ``-``, ``*``.

    Args:
        formula: the formula, as a protocol states it; ``2 if chair else 1`` is 2 where the setting
            ``chair`` is neither 0, off nor empty, and ``(order == "each")`` is 1 where it is that
            text, else 0.
        settings: the settings by name; a switch counts as 0 or 1.
        count_within: from the settings of a sub-debate to its fewest and most calls. The names
            ``nodes`` (of a network) and ``inner`` (behind a gate) stand for the calls of these.
        end: 0 for the fewest calls of sub-debates, 1 for the most.

    Raises:
        UnknownName: for a name that is no setting.
    """

    def at(node: ast.expr) -> int:
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIGNS:
                return int(_SIGNS[type(op)](at(left), at(right)))
            case ast.Constant(value=int(value)):
                return value
            case ast.IfExp(test=ast.Name(id=name), body=body, orelse=orelse) if name in settings:
                return at(body if settings[name] else orelse)
            case ast.Compare(
                left=ast.Name(id=name), ops=[ast.Eq()], comparators=[ast.Constant(value=str(text))]
            ):
                return int(name in settings and settings[name] == text)
            case ast.Name(id="nodes" | "inner" as name):
                within = read_settings(settings, WithinSettings)
                tables = within.nodes if name == "nodes" else [within.inner]
                return sum(count_within(each)[end] for each in tables)
            case ast.Name(id=name) if name in settings:
                return int(settings[name])
        raise UnknownName("name in a call formula", ast.unparse(node), settings, where=formula)

    return at(_parse_formula(formula))


@cache
def _parse_formula(formula: str) -> ast.expr:
    return ast.parse(formula, mode="eval").body
