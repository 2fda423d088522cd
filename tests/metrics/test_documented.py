"""The metric that docs/metrics.md shows is one."""

import re
from pathlib import Path

from moot.metrics.metric import metric

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")


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
