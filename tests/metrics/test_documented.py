"""docs/metrics.md lists every metric as it is registered."""

import re
from pathlib import Path

from moot.metrics.metric import metric, registry

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")


def rows():
    for line in PAGE.splitlines():
        if line.startswith("| `"):
            name, formula, *facts = (cell.strip() for cell in line.strip("|").split("|"))
            yield name.strip("`"), formula, facts


def test_the_page_lists_exactly_what_is_registered():
    assert sorted(name for name, _, _ in rows()) == registry.names()


def test_range_unit_and_source_are_the_registered_ones():
    for name, formula, facts in rows():
        one = registry.get(name)
        low, high = one.range
        span = f"{low} and up" if high is None else f"{low} to {high}"
        assert facts == [span, one.unit, one.better, one.total, one.source], name
        assert formula


def test_the_example_works(society):
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    made = []
    scope = {}
    body = code.replace("@metric(", "@trial(")
    scope["trial"] = lambda **facts: lambda function: made.append((facts, function))
    exec(compile(body, "docs/metrics.md", "exec"), scope)
    facts, function = made[0]
    assert function(society) == 0.0
    assert set(facts) < set(metric.__annotations__)
    assert code.count("\n") < 40
