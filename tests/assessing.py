"""A small run with essays, and a judge of them, for tests of what measures essays."""

import re

import moot
from moot.models.scripted import Scripted

PROPOSITIONS = ("Cats are better than dogs", "Tea is better than coffee", "Rain is better than sun")
WORDS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
PAIR = re.compile(r"===== The (first|second) essay =====\n(.*?)\n=====", re.DOTALL)


def essay(call):
    """What an arm writes: the plain one says the same each time, the rich one never does."""
    at = call.draw.replicate
    if "plain" in call.model:
        return "Dull prose says one dull thing, and says one dull thing again."
    return "gold " + " ".join(WORDS[at * 4 : at * 4 + 4])


def judge(call):
    """Lists what it reads as two points; prefers gold, else says they are equal."""
    asked = call.messages[-1].content
    shown = dict(PAIR.findall(asked))
    if not shown:
        return "Its points:\n1. It stands for something.\n2. " + asked.split("\n")[3][:40]
    gold = ["gold" in shown[place] for place in ("first", "second")]
    letter = "C" if gold[0] == gold[1] else "AB"[gold.index(True)]
    return f"I have read both.\nFinal answer: {letter}"


def models(judge=judge):
    return [
        Scripted(essay, name="plain"),
        Scripted(essay, name="rich"),
        Scripted(judge, name="judge"),
    ]


def study(tmp_path, **given):
    """Two arms over three propositions, each three times."""
    path = tmp_path / "town.jsonl"
    path.write_text(
        "".join(f'{{"id": "m{n}", "question": "{m}"}}\n' for n, m in enumerate(PROPOSITIONS))
    )
    return {
        "name": "tried",
        "replicates": 3,
        "baseline": "plain",
        "datasets": [{"name": "file", "label": "town", "path": str(path), "kind": "text"}],
        "arms": [
            {"name": "plain", "protocol": "essay-direct", "model": "scripted/plain"},
            {"name": "rich", "protocol": "essay-direct", "model": "scripted/rich"},
        ],
    } | given


async def held(tmp_path, models=models(), **given):  # noqa: B008 -- they keep nothing
    """Hold the debates; the key of the run."""
    outcome = await moot.run(study(tmp_path, **given), store=tmp_path / "store", models=models)
    return outcome.run
