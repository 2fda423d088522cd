"""The public surface as a type checker sees it; checked with moot itself, never run."""

from collections.abc import Iterator
from typing import assert_type

import moot


@moot.protocol(paper="none", calls="agents")
async def echoing(debate: moot.Debate, question: moot.Question, *, agents: int = 2) -> moot.Verdict:
    views = await debate.everyone(debate.seat("agent", agents), "answer")
    assert_type(views[0].answer, str | None)
    return moot.majority(views.without(views[0].agent), question)


@moot.metric(unit="turns", range=(0, None), source="none")
def turns(transcript: moot.Transcript) -> float | None:
    """The number of turns."""
    return len(transcript.turns)


@moot.dataset(kinds=("number",))
def one(*, seed: int = 0) -> Iterator[moot.Question]:
    """One question."""
    yield moot.Question(id=f"one-{seed}", kind="number", text="1 + 0?", answer="1")


async def asking() -> None:
    answer = await moot.ask("1 + 1?", kind="number", model=moot.Simulated(), agents=3)
    assert_type(answer, moot.Answer)
    assert_type(moot.ask_sync("1 + 1?", model=moot.Simulated()), moot.Answer)
    assert_type(answer.cost, float | None)
    written = await moot.write("1 is odd.", stance="support", model=moot.Simulated(), rounds=1)
    assert_type(written, moot.Written)
    assert_type(written.essay, str | None)
    outcome = await moot.run("study.toml", models=[moot.Scripted(["2"])], limit=3)
    assert_type(outcome.results, moot.Results)
    assert_type(moot.extract("Final answer: 2", answer_to()), str | None)
    model: moot.Model = moot.model("local/smollm2")
    await model.close()


def answer_to() -> moot.Question:
    return moot.questions("arithmetic", n=1)[0]
