"""Asking one question from Python."""

import asyncio
import inspect
import json

import pytest

import moot
from moot.core.events import NodeFinished, Turn
from moot.debate.protocol import registry
from moot.studies.lab import open_lab
from moot.studies.question_plan import TYPES


class Borrowed:
    """A model that must not be closed by who borrows it."""

    name = endpoint = "borrowed/one"
    limits = moot.Limits(concurrency=4)
    simulated = True

    def __init__(self):
        self.closed = False

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


async def test_other_prompts_are_another_run(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text("[style.cot]\ntext = 'Say: {{ question }}'")
    options = {"model": moot.Scripted(["4"]), "protocol": "single", "store": tmp_path / "store"}
    ours = await moot.ask("2 + 2?", **options)
    theirs = await moot.ask("2 + 2?", prompts=mine, **options)
    assert ours.run != theirs.run


async def test_agents_may_have_models_and_sampling_of_their_own(tmp_path):
    four, five = (f"scripted?reply=Final answer: {n}" for n in (4, 5))
    options = {"kind": "number", "model": four, "store": tmp_path}
    answer = await moot.ask("2 + 2?", agents=[{}, {"model": five, "temperature": 0}], **options)
    assert [turn.answer for turn in answer.turns] == ["4", "5"] * 2
    assert len({turn.model for turn in answer.turns}) == 2
    plain = await moot.ask("2 + 2?", agents=2, **options)
    assert plain.run != answer.run


async def test_every_model_must_be_there_before_one_is_asked(tmp_path):
    model = Borrowed()
    with pytest.raises(moot.InputError, match="opnai"):
        await moot.ask("?", agents=[{}, {"model": "opnai/x"}], model=model, store=tmp_path)
    async with open_lab(tmp_path) as lab:
        assert lab.store.runs() == []


ANSWER = """answer text by protocol settings calls usage cost seconds failed simulated run turns
nodes dissents unread"""
USAGE = "prompt_tokens completion_tokens cached_tokens reasoning_tokens"


async def test_the_shape_of_an_answer(tmp_path):
    options = {"model": Borrowed(), "store": tmp_path, "kind": "number"}
    plain = await moot.ask("2 + 2?", protocol="single", **options)
    net = await moot.ask("2 + 2?", protocol="network", agents=1, rounds=1, **options)
    for answer in (plain, net):
        told = json.loads(json.dumps(answer.to_dict()))
        assert set(told) == set(ANSWER.split())
        assert set(told["usage"]) == set(USAGE.split())
        assert all(set(turn) == set(Turn.__struct_fields__) for turn in told["turns"])
        assert all(set(node) == set(NodeFinished.__struct_fields__) for node in told["nodes"])
        assert {tuple(turn["order"]) for turn in told["turns"]} == {()}
    assert plain.nodes == ()
    assert [(each.node, each.layer, each.sweep, each.reads) for each in net.nodes] == [
        *(("C1", 1, 1, ()), ("C2", 1, 1, ()), ("C3", 2, 1, ("C2",)), ("C4", 3, 1, ("C3",)))
    ]
    assert {node.verdict.answer for node in net.nodes} == {"4"}


async def test_nodes_that_debate_again_are_told_sweep_by_sweep(tmp_path):
    def script(call):
        return f"Final answer: {call.draw.seat}"

    answer = await moot.ask(
        "2 + 2?",
        protocol="hopfield",
        model=moot.Scripted(script),
        kind="number",
        store=tmp_path,
        communities=2,
        agents=1,
        rounds=1,
        sweeps=2,
    )
    assert [(node.node, node.sweep) for node in answer.nodes] == [
        *(("C1", 1), ("C2", 1), ("C1", 2), ("C2", 2))
    ]
    assert [node.reads != () for node in answer.nodes] == [False, False, True, True]


async def test_turns_say_in_which_order_they_were_shown_the_choices(tmp_path):
    shown = []

    def script(call):
        shown.append(call.scene.question.choices)
        return "Final answer: A"

    choices = ["red", "green", "blue", "grey"]
    answer = await moot.ask(
        "Which?",
        protocol="medprompt",
        model=moot.Scripted(script),
        choices=choices,
        store=tmp_path,
        samples=6,
    )
    places = [turn.order or (0, 1, 2, 3) for turn in answer.turns]
    assert [tuple(choices[place] for place in order) for order in places] == shown
    assert len(set(places)) > 1
    assert [turn.answer for turn in answer.turns] == ["ABCD"[order[0]] for order in places]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"question": 3}, "question: expected a text, got 3"),
        ({"protocol": 3}, "protocol: expected a protocol's name"),
        ({"model": 3}, "model: expected a name or a model"),
        ({"choices": 3}, "choices: expected a list of texts"),
        ({"choices": "ab"}, "choices: expected a list of texts"),
        ({"choices": ["a", 3]}, "choices: expected a text, got 3"),
        ({"kind": 3}, "kind: expected a text"),
        ({"context": 450}, "context: expected a text; .* setting window, got 450"),
        ({"store": 3}, "store: expected a folder"),
        ({"prompts": 3}, "prompts: expected a file"),
        ({"budget": 3}, "budget: expected a Budget"),
        ({"listen": "loudly"}, "listen: expected a function"),
    ],
)
async def test_what_is_given_is_of_its_type(tmp_path, given, said):
    with pytest.raises(moot.InputError, match=f"^{said}"):
        await moot.ask(**{"question": "?", "model": Borrowed(), "store": tmp_path} | given)


def test_no_setting_is_called_as_what_ask_is_given():
    asks = set(inspect.signature(moot.ask).parameters) - {"settings", "model"}
    assert set(TYPES) == asks | {"model"}
    for protocol in registry:
        assert not asks & set(protocol.settings.__struct_fields__)


async def test_a_window_beside_a_passage(tmp_path):
    options = {"model": Borrowed(), "store": tmp_path, "protocol": "single", "kind": "number"}
    answer = await moot.ask("2 + 2?", context="At noon.", window=450, **options)
    assert (answer.answer, answer.settings["window"]) == ("4", 450)
    held = await moot.ask("2 + 2?", context="At noon. " * 300, window=450, **options)
    assert "window = 450" in held.failed


async def test_turns_say_their_node_and_what_was_left_out(tmp_path):
    nodes = [{"name": "A", "protocol": "single"}, {"name": "B", "protocol": "single"}]
    edges = [["A", "B"], ["B", "judge"]]
    options = {"model": Borrowed(), "store": tmp_path, "kind": "number"}
    answer = await moot.ask("?", protocol="network", nodes=nodes, edges=edges, **options)
    assert [(turn.node, turn.removed) for turn in answer.turns] == [("A", 0), ("B", 0), ("", 0)]


def _whole(call):
    return "\n".join(message.content for message in call.messages)


@pytest.fixture
def few_shot(tmp_path):
    """Asks one agent in the few-shot style; gives all that it was sent, and the answer."""

    async def ask(question="What is 70 plus 7?", *, kind="number", **settings):
        prompts = []
        model = moot.Scripted(lambda call: prompts.append(_whole(call)) or "Final answer: 4")
        options = {"protocol": "single", "style": "few-shot", "model": model, "kind": kind}
        answer = await moot.ask(question, store=tmp_path / "store", **options | settings)
        return prompts[0] if prompts else "", answer

    return ask


async def test_nodes_show_examples_of_their_own(tmp_path):
    prompts = {}
    model = moot.Scripted(lambda call: prompts.update({call.scene.agent: _whole(call)}) or "4")
    nodes = [{"name": "C1", "shots": 1}, {"name": "C2", "shots": 3}, {"name": "C3"}]
    nodes = [{"protocol": "single", "style": "few-shot", **node} for node in nodes]
    options = {"model": model, "store": tmp_path, "kind": "number", "rounds": 1, "agents": 1}
    await moot.ask("2 + 2?", protocol="network", nodes=nodes, **options)
    counts = {agent: prompt.count("Question:") - 1 for agent, prompt in prompts.items()}
    assert {key: counts[f"{key}/agent"] for key in ("C1", "C2", "C3")} == {
        "C1": 1,
        "C2": 3,
        "C3": 5,
    }


async def test_without_a_file_moots_own_examples_are_shown(few_shot):
    prompt, answer = await few_shot()
    assert prompt.count("Question:") == 5 + 1
    assert answer.settings["shots"] == 5
    prompt, answer = await few_shot(shots=1)
    assert prompt.count("Question:") == 1 + 1
    with pytest.raises(moot.InputError, match=r"protocol single: shots = 6: .*only 5"):
        await few_shot(shots=6)
    with pytest.raises(moot.InputError, match="examples = FILE"):
        await few_shot("Where can the rook go?", kind="square")


async def test_examples_of_a_file_of_ones_own(few_shot, tmp_path):
    file = tmp_path / "mine.jsonl"
    rows = [{"question": f"What is {n} plus 1?", "answer": n + 1} for n in range(5)]
    runs = set()
    for row in rows[:2]:
        file.write_text("\n".join(map(json.dumps, [*rows, row | {"answer": 99}])))
        prompt, answer = await few_shot(examples=str(file), shots=6)
        assert prompt.count("Question:") == 6 + 1
        runs.add(answer.run)
    assert len(runs) == 2
    with pytest.raises(moot.InputError, match=r"examples = .*none\.jsonl.* cannot be read"):
        await few_shot(examples=str(tmp_path / "none.jsonl"))
    with pytest.raises(moot.InputError, match=r"examples = .*none\.jsonl.* no such file"):
        await few_shot(examples=str(tmp_path / "none.jsonl"), style="cot")
    with pytest.raises(moot.InputError, match=r"protocol single: examples = .* few-shot-cot"):
        await few_shot(examples=str(file), style="cot")


async def test_what_did_not_end_is_not_left_as_running(tmp_path):
    with pytest.raises(moot.BudgetReached):
        await moot.ask(
            "2 + 2?",
            model=moot.Scripted(["4"] * 6),
            store=tmp_path,
            budget=moot.Budget(calls=2),
        )
    async with open_lab(tmp_path, readonly=True) as lab:
        assert [row.status for row in lab.store.runs()] == ["stopped"]


async def test_a_cap_on_cost_needs_a_price(tmp_path):
    class Unpriced(Borrowed):
        def cost(self, _reply):
            return None

    with pytest.raises(moot.InputError, match="price"):
        await moot.ask("?", model=Unpriced(), store=tmp_path, budget=moot.Budget(cost=1.0))


async def test_a_cap_on_tokens_holds_where_the_endpoint_tells_none(tmp_path):
    class Silent(Borrowed):
        async def reply(self, _call):
            return moot.Reply(text="Final answer: 4")

    with pytest.raises(moot.BudgetReached):
        await moot.ask(
            "?", model=Silent(), store=tmp_path, max_tokens=100, budget=moot.Budget(tokens=250)
        )


@pytest.mark.parametrize("cap", [{"calls": -1}, {"cost": float("nan")}, {"tokens": -5}])
def test_impossible_caps_are_refused(cap):
    with pytest.raises(moot.InputError, match="budget"):
        moot.Budget(**cap)


PUT = "Is {} the right answer?"


async def test_a_value_of_one_s_own_is_put_to_the_first_agent(tmp_path):
    asked = []

    def script(call):
        asked.append(call.messages[-1].content)
        return "Final answer: 4"

    given = {"protocol": "society-of-minds", "kind": "number", "agents": 2, "rounds": 1}
    model = moot.Scripted(script, name="put")
    await moot.ask("What is 2+2?", model=model, store=tmp_path, put=" 5 ", **given)
    assert [PUT.format("5") in text for text in asked] == [True, False]
    asked.clear()
    known = {"answer": "4", "opening": "control-right"}
    await moot.ask("What is 2+2?", model=model, store=tmp_path, **known, **given)
    assert [PUT.format("4") in text for text in asked] == [True]  # the other draw is shared


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"put": "many"}, r"put = 'many': no answer to .*expected a number"),
        ({"answer": "many"}, r"answer = 'many': no answer to .*expected a number"),
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
