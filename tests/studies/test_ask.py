"""Asking one question from Python."""

import asyncio
import json

import pytest

import moot
from moot.studies.lab import open_lab


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


async def test_turns_say_their_node_and_what_was_left_out(tmp_path):
    nodes = [{"name": "A", "protocol": "single"}, {"name": "B", "protocol": "single"}]
    edges = [["A", "B"], ["B", "judge"]]
    options = {"model": Borrowed(), "store": tmp_path, "kind": "number"}
    answer = await moot.ask("?", protocol="network", nodes=nodes, edges=edges, **options)
    assert [(turn.node, turn.removed) for turn in answer.turns] == [("A", 0), ("B", 0), ("", 0)]


@pytest.fixture
def few_shot(tmp_path):
    """Asks one agent in the few-shot style; gives its prompt and the answer."""

    async def ask(question="What is 70 plus 7?", *, kind="number", **settings):
        prompts = []
        model = moot.Scripted(
            lambda call: prompts.append(call.messages[-1].content) or "Final answer: 4"
        )
        options = {"protocol": "single", "style": "few-shot", "model": model, "kind": kind}
        answer = await moot.ask(question, store=tmp_path / "store", **options, **settings)
        return prompts[0] if prompts else "", answer

    return ask


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
