"""Asking one question from Python."""

import asyncio
import json

import pytest

import moot
from moot.core.events import NodeFinished, Turn
from moot.studies.lab import open_lab
from support.chaos import Chaos
from support.http_calls import only_key
from support.stored import read_states


class Borrowed:
    """A model that must not be closed by who borrows it."""

    name = endpoint = "borrowed/one"
    limits = moot.Limits(concurrency=4)
    simulated, closed = True, False

    async def reply(self, call):
        assert not self.closed
        await asyncio.sleep(0.01 * call.scene.round)
        return moot.Reply(text="Final answer: 4", prompt_tokens=1, completion_tokens=1)

    def cost(self, _reply):
        return 0.0

    async def close(self):
        self.closed = True


async def test_a_model_object_can_be_asked_by_several_at_once_and_stays_open(tmp_path):
    model = Borrowed()
    options = {"kind": "number", "model": model, "store": tmp_path}
    short = moot.ask("2 + 2?", protocol="single", **options)
    long = moot.ask("1 + 3?", rounds=4, **options)
    answers = await asyncio.gather(short, long)
    assert [answer.answer for answer in answers] == ["4", "4"]
    assert not model.closed


async def test_agents_may_have_models_and_sampling_of_their_own(tmp_path):
    four, five = (f"scripted?reply=Final answer: {n}" for n in (4, 5))
    options = {"kind": "number", "model": four, "store": tmp_path}
    answer = await moot.ask("2 + 2?", agents=[{}, {"model": five, "temperature": 0}], **options)
    assert [turn.answer for turn in answer.turns] == ["4", "5"] * 2
    assert len({turn.model for turn in answer.turns}) == 2
    mine = tmp_path / "mine.toml"
    mine.write_text("[society-of-minds.step.revise]\ntext = 'Say: {{ question }}'")
    plain = await moot.ask("2 + 2?", agents=2, **options)
    worded = await moot.ask("2 + 2?", agents=2, prompts=mine, **options)
    assert len({answer.run, plain.run, worded.run}) == 3


async def test_the_shape_of_an_answer(tmp_path):
    options = {"model": Borrowed(), "store": tmp_path, "kind": "number"}
    plain = await moot.ask("2 + 2?", protocol="single", **options)
    net = await moot.ask("2 + 2?", protocol="network", agents=1, rounds=1, **options)
    for answer in (plain, net):
        told = json.loads(json.dumps(answer.to_dict()))
        assert all(set(turn) == set(Turn.__struct_fields__) for turn in told["turns"])
        assert all(set(node) == set(NodeFinished.__struct_fields__) for node in told["nodes"])
        assert {tuple(turn["order"]) for turn in told["turns"]} == {()}
    assert plain.nodes == ()
    reads = [(each.node, each.layer, each.reads) for each in net.nodes]
    assert reads == [("C1", 1, ()), ("C2", 1, ()), ("C3", 2, ("C2",)), ("C4", 3, ("C3",))]
    assert {(node.verdict.answer, node.sweep) for node in net.nodes} == {("4", 1)}


async def test_turns_say_in_which_order_they_were_shown_the_choices(tmp_path):
    shown = []
    model = moot.Scripted(
        lambda call: shown.append(call.scene.question.choices) or "Final answer: A"
    )
    choices = ["red", "green", "blue", "grey"]
    given = {"protocol": "medprompt", "model": model, "store": tmp_path, "samples": 6}
    answer = await moot.ask("Which?", choices=choices, **given)
    places = [turn.order or (0, 1, 2, 3) for turn in answer.turns]
    assert [tuple(choices[place] for place in order) for order in places] == shown
    assert len(set(places)) > 1
    assert [turn.answer for turn in answer.turns] == ["ABCD"[order[0]] for order in places]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"question": 3}, "question: expected a text, got 3"),
        ({"model": 3}, "model: expected a name or a model"),
        ({"choices": "ab"}, "choices: expected a list of texts"),
        ({"context": 450}, "context: expected a text; .* setting window, got 450"),
        ({"budget": 3}, "budget: expected a Budget"),
        ({"listen": "loudly"}, "listen: expected a function"),
    ],
)
async def test_what_is_given_is_of_its_type(tmp_path, given, said):
    with pytest.raises(moot.InputError, match=f"^{said}"):
        await moot.ask(**{"question": "?", "model": Borrowed(), "store": tmp_path} | given)


@pytest.mark.parametrize(("given", "near"), [("maxcost", "max_cost"), ("promts", "prompts")])
async def test_a_parameter_with_a_slip_is_not_taken_for_a_setting_with_another(given, near):
    with pytest.raises(moot.InputError, match=f"'{given}'; did you mean '{near}'"):
        await moot.ask("2+2?", **{given: 1})


async def test_a_wrong_model_name_leaves_no_debate_behind(tmp_path, monkeypatch):
    only_key(monkeypatch)
    async with Chaos() as server:
        server.models = ["lama-3"]
        with pytest.raises(moot.InputError, match=r"no such model: .*unknown model .*lama-3"):
            await moot.ask("2+2?", model=f"{server.url}/404", store=tmp_path)
    assert await read_states(tmp_path) == ["stopped"]
    async with open_lab(tmp_path, readonly=True) as lab:
        [run] = lab.store.runs()
        assert not list(lab.store.debates(run.id))


async def test_what_did_not_end_is_not_left_as_running(tmp_path):
    capped = {"model": moot.Scripted(["4"] * 6), "budget": moot.Budget(calls=2)}
    with pytest.raises(moot.BudgetReached):
        await moot.ask("2 + 2?", store=tmp_path, **capped)
    assert await read_states(tmp_path) == ["stopped"]


async def test_a_cap_on_tokens_holds_where_the_endpoint_tells_none(tmp_path):
    class Silent(Borrowed):
        async def reply(self, _call):
            return moot.Reply(text="Final answer: 4")

    capped = {"max_tokens": 100, "budget": moot.Budget(tokens=250)}
    with pytest.raises(moot.BudgetReached):
        await moot.ask("?", model=Silent(), store=tmp_path, **capped)


PUT = "Is {} the right answer?"


async def test_a_value_of_one_s_own_is_put_to_the_first_agent(tmp_path):
    asked = []
    model = moot.Scripted(lambda call: asked.append(call) or "Final answer: 4", name="put")
    given = {"protocol": "society-of-minds", "kind": "number", "agents": 2, "rounds": 1}
    given |= {"model": model, "store": tmp_path}
    await moot.ask("What is 2+2?", put=" 5 ", **given)
    assert [PUT.format("5") in call.messages[-1].content for call in asked] == [True, False]
    asked.clear()
    await moot.ask("What is 2+2?", answer="4", opening="control-right", **given)
    [call] = asked  # the other draw is shared
    assert PUT.format("4") in call.messages[-1].content


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"put": "many"}, r"put = 'many': no answer to .*expected a number"),
        ({"opening": "control-wrong"}, r"not known.*--answer"),
        ({"put": "5", "opening": "control-wrong", "answer": "4"}, "leave out one of the two"),
        ({"opening": "put"}, "say which value"),
        ({"opening": "control-tempting"}, "no tempting wrong answer"),
    ],
)
async def test_what_cannot_be_put_is_told_before_anything_is_asked(given, said, tmp_path):
    def never(call):
        raise AssertionError(call)

    model = moot.Scripted(never, name="never")
    with pytest.raises(moot.InputError, match=said):
        await moot.ask("What is 2+2?", kind="number", model=model, store=tmp_path, **given)
