"""A protocol is a decorated function: its settings, its formula and its faults."""

from typing import Annotated

import pytest
from msgspec import Meta

from moot.core.errors import InputError, UnknownName
from moot.core.events import Verdict
from moot.debate.protocol import protocol, registry
from moot.debate.verdicts import verdict_from
from support.debates import hold


@pytest.fixture
def own_names(monkeypatch):
    """What a test registers is gone after it."""
    monkeypatch.setattr(registry, "_found", {each: registry.get(each) for each in registry.names()})


def define(algorithm, **given):
    return protocol(**{"paper": "none", "calls": "1"} | given)(algorithm)


async def test_a_function_becomes_a_protocol(own_names, store):
    @protocol(paper="somebody, 2024", calls="times")
    async def ask_again(
        debate, question, *, times: Annotated[int, Meta(ge=1, description="how often")] = 2
    ) -> Verdict:
        """Ask and ask again.

        More of it.
        """
        [agent] = debate.seat("agent")
        for _ in range(times):
            view = await debate.ask(agent, "answer")
        return verdict_from(view)

    assert registry.get("ask-again") is ask_again
    assert (ask_again.summary, ask_again.paper) == ("Ask and ask again.", "somebody, 2024")
    assert ask_again.count({"times": 5}) == (5, 5)
    transcript = await hold("ask-again", lambda _: "Final answer: 4", store, times="3")
    assert [turn.reads for turn in transcript.turns] == [(), (1,), (1, 2)]
    assert len({turn.call for turn in transcript.turns}) == 3


async def test_a_mistake_in_a_protocol_fails_its_question(own_names, store):
    async def forgets(debate, question) -> Verdict:
        """Give back nothing."""

    async def breaks(debate, question) -> Verdict:
        """Divide."""
        return 1 / 0

    async def lost(debate, question) -> Verdict:
        """Ask for a step that is nowhere."""
        [agent] = debate.seat("agent")
        return verdict_from(await debate.ask(agent, "answr"))

    for algorithm in (forgets, breaks, lost):
        define(algorithm)
    transcript = await hold("forgets", [], store)
    assert (transcript.failed.kind, transcript.verdict) == ("TypeError", None)
    assert "protocol forgets: it gave back None and no Verdict" in transcript.failed.reason
    assert (await hold("breaks", [], store)).failed.kind == "ZeroDivisionError"
    with pytest.raises(UnknownName, match="prompt step 'answr'"):
        await hold("lost", [], store)


async def nothing(debate, question):
    """Do nothing."""


def test_a_setting_needs_a_type_and_a_default_and_a_protocol_a_name_of_its_own(own_names):
    async def without_default(debate, question, *, times: int):
        """Lack a default."""

    async def without_type(debate, question, *, times=3):
        """Lack a type."""

    for algorithm in (without_default, without_type):
        with pytest.raises(InputError, match="protocol odd: setting times needs a type and a def"):
            define(algorithm, name="odd")
    assert "odd" not in registry.names()
    with pytest.raises(InputError, match="two protocols are named 'single'"):
        define(nothing, name="single")


def test_formulas_count_and_are_no_programs(own_names):
    for formula, value in {
        "7": 7,
        "a": 3,
        "a*b+1": 16,
        "(a + b) * a - 1": 23,
        "3*b + (a - 1)": 17,
    }.items():
        counted = define(nothing, name=f"counted-{value}", calls=formula)
        assert counted.count({"a": 3, "b": 5}) == (value, value)
    for number, formula in enumerate(["c", "a / b", "a ** 9", "__import__('os')", "a.b", "1.5"]):
        counted = define(nothing, name=f"odd-{number}", calls=formula)
        with pytest.raises(UnknownName, match="name in a call formula"):
            counted.count({"a": 3, "b": 5})
    assert registry.get("multi-persona").count({"rounds": 3}) == (3, 10)
