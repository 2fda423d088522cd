import json
from collections import Counter

import pytest

FORM = "society-of-minds"


def user(text):
    return {"role": "user", "content": text}


def says(text):
    return {"role": "assistant", "content": text}


def context(name, rounds=2):
    """Make the messages of one agent."""
    return [
        each
        for number in range(1, rounds + 1)
        for each in (user(f"What is 2+2? ({number})"), says(f"{name} says {number}"))
    ]


PAIR = [[context("a"), context("b"), context("c")], "#### 4"]


def spoken(debate):
    return [(turn.agent, turn.round, turn.text) for turn in debate.turns]


def test_a_question_with_contexts_and_an_answer(write, read):
    debates, unread, _ = read(write({"What is 2+2?": PAIR}), form=FORM)
    [debate] = debates
    assert not unread
    assert (debate.id, debate.dataset, debate.method) == ("1", "log", FORM)
    assert (debate.question.text, debate.question.answer) == ("What is 2+2?", "#### 4")
    assert debate.settings == {"agents": 3, "rounds": 2}
    assert [agent.name for agent in debate.agents] == ["agent 1", "agent 2", "agent 3"]
    assert spoken(debate) == [
        ("agent 1", 1, "a says 1"),
        ("agent 2", 1, "b says 1"),
        ("agent 3", 1, "c says 1"),
        ("agent 1", 2, "a says 2"),
        ("agent 2", 2, "b says 2"),
        ("agent 3", 2, "c says 2"),
    ]
    assert [turn.reads for turn in debate.turns] == [None] * 6
    assert debate.turns[3].prompt[0].content == "What is 2+2? (2)"
    assert debate.place == "log.json, key 'What is 2+2?'"
    assert debate.verdict is None


@pytest.mark.parametrize(
    "value",
    [
        {"What is 2+2?": PAIR},
        [["What is 2+2?", PAIR]],
        [["What is 2+2?", *PAIR]],
        [PAIR],
        [{"What is 2+2?": PAIR}],
        {"What is 2+2?": [[[each["content"] for each in one] for one in PAIR[0]], "#### 4"]},
        {"What is 2+2?": [*PAIR, {"cost": 1}]},
    ],
)
def test_variants_of_the_layout_are_the_same_debate(write, read, value):
    [debate], unread, _ = read(write(value), form=FORM)
    [plain], _, _ = read(write({"What is 2+2?": PAIR}, "plain.json"))
    assert not unread
    assert spoken(debate) == spoken(plain)
    assert debate.question.answer == "#### 4"
    assert [turn.prompt for turn in debate.turns] == [turn.prompt for turn in plain.turns]
    assert debate.question.text == ("What is 2+2? (1)" if value == [PAIR] else "What is 2+2?")


def test_lines_of_one_question_each(write, read):
    rows = [{f"What is {n}?": [[[user(f"What is {n}?"), says("x")]], str(n)]} for n in range(3)]
    debates, _, _ = read(write(rows, "log.jsonl"), form=FORM)
    assert [debate.question.answer for debate in debates] == ["0", "1", "2"]
    assert [debate.place for debate in debates] == [f"log.jsonl, line {n}" for n in (1, 2, 3)]
    assert {debate.method for debate in debates} == {"single"}


def test_one_agent_without_a_list_of_agents(write, read):
    [debate], _, _ = read(write({"q": [context("a"), "4"]}))
    assert spoken(debate) == [("agent 1", 1, "a says 1"), ("agent 1", 2, "a says 2")]
    assert debate.question.answer == "4"


def test_replies_alone(write, read):
    [debate], _, _ = read(write({"q": [[says("a"), says("b")], "B"]}))
    assert spoken(debate) == [("agent 1", 1, "a"), ("agent 2", 1, "b")]
    [debate], _, _ = read(write({"q": [[["a1", "a2"], ["b1", "b2"]], "B"]}))
    assert [text for *_, text in spoken(debate)] == ["a1", "b1", "a2", "b2"]


def test_a_question_without_an_answer(write, read):
    [debate], _, _ = read(write({"Ada": [context("a"), context("b")]}))
    assert debate.question.answer is None
    assert len(debate.turns) == 4


def test_a_key_that_is_no_question_gives_way_to_the_prompt(write, read):
    [debate], _, _ = read(write({"(1, 2, 3)": [[context("a")], 4]}))
    assert (debate.question.text, debate.question.answer) == ("What is 2+2? (1)", "4")


def test_a_judge_speaks_last_and_has_no_vote(write, read):
    [debate], _, _ = read(write({"q": [*PAIR, says("The answer is 4.")]}))
    judge = debate.turns[-1]
    assert (judge.agent, judge.votes, judge.text) == ("judge", False, "The answer is 4.")
    assert debate.agents[-1].answers is False
    assert (debate.verdict.by, debate.verdict.turn) == ("judge", 7)


def test_completions_say_model_and_tokens(write, read):
    completion = {
        "model": "gpt-3.5-turbo-0301",
        "choices": [{"message": says("4"), "finish_reason": "length"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2},
    }
    [debate], _, _ = read(write({"q": [[[user("q"), completion]], "4"]}))
    [turn] = debate.turns
    assert (turn.model, turn.finish, turn.prompt_tokens) == ("gpt-3.5-turbo-0301", "length", 7)
    assert turn.completion_tokens == 2


def test_agents_with_fewer_rounds(write, read):
    [debate], _, _ = read(write({"q": [[context("a", 3), context("b", 1)], "4"]}))
    assert [(turn.agent, turn.round) for turn in debate.turns] == [
        ("agent 1", 1),
        ("agent 2", 1),
        ("agent 1", 2),
        ("agent 1", 3),
    ]


def test_what_cannot_be_read_is_named_and_the_rest_is_read(write, read):
    value = {"good": PAIR, "bad": [[1, 2], "x"], "worse": "text", "empty": [[], "4"]}
    debates, unread, _ = read(write(value))
    assert len(debates) == 1
    assert [each.place for each in unread] == [
        f"log.json, key '{key}'" for key in ("bad", "worse", "empty")
    ]


def test_several_files_share_questions_and_are_told_apart(write, read, tmp_path):
    write({"p": PAIR, "q": PAIR}, "gsm_3_2.json")
    write({"q": [[context("a", 1)], "4"]}, "gsm_1_1.json")
    write({"accuracy": 1}, "gsm_eval.json")
    debates, unread, log = read(tmp_path, form=FORM)
    assert not unread
    assert {debate.dataset for debate in debates} == {tmp_path.name}
    assert Counter(debate.id for debate in debates) == {"1": 2, "2": 1}
    assert {debate.settings["file"] for debate in debates} == {"gsm_3_2", "gsm_1_1"}
    assert [note.place for note in log.notes] == ["gsm_eval.json"]
    assert {debate.method for debate in debates} == {FORM, "single"}


def test_two_sets_of_questions_in_a_log_are_two_datasets(write, read, tmp_path):
    for name in ("gsm_3_2.json", "mmlu_3_2.json", "more/gsm_3_2.json"):
        write({name: PAIR}, name)
    debates, _, _ = read(tmp_path)
    assert [(debate.dataset, debate.settings["file"]) for debate in debates] == [
        ("gsm", "gsm_3_2"),
        ("mmlu", "mmlu_3_2"),
        ("more", "more/gsm_3_2"),
    ]


def test_a_question_asked_again_is_a_replicate(tmp_path, read):
    pair = json.dumps(PAIR)
    (tmp_path / "log.json").write_text(f'{{"q": {pair}, "q": {pair}, "r": {pair}}}')
    debates, _, log = read(tmp_path / "log.json")
    assert [(debate.id, debate.replicate) for debate in debates] == [("1", 0), ("1", 1), ("2", 0)]
    assert log.notes[0].what == "the key 'q' stands twice"


@pytest.mark.parametrize(
    ("name", "file", "count", "agents", "rounds"),
    [
        ("society-gsm8k-gpt35", "gsm_3_2_100.json", 100, 3, 2),
        ("society-mmlu", "mmlu_3_2.json", 99, 3, 2),
        ("society-gsm8k-llama31", "gsm_3_2_llama3.1_8b_official.json", 25, 3, 2),
        ("society-gsm8k-llama31", "gsm_1_1_llama3.1_8b_official.json", 25, 1, 1),
    ],
)
def test_real_logs_come_in_byte_for_byte(shared, read, name, file, count, agents, rounds):
    path = shared(name) / file
    debates, unread, log = read(path, form=FORM)
    assert not unread
    assert not log.notes
    assert len(debates) == count
    raw = json.loads(path.read_bytes())
    for debate, (question, (contexts, gold)) in zip(debates, raw.items(), strict=True):
        assert (debate.question.text, debate.question.answer) == (question, gold)
        said = [contexts[seat][2 * each + 1] for each in range(rounds) for seat in range(agents)]
        assert [turn.text for turn in debate.turns] == [each["content"] for each in said]
        asked = [contexts[seat][2 * each] for each in range(rounds) for seat in range(agents)]
        assert [turn.prompt[0].content for turn in debate.turns] == [
            each["content"] for each in asked
        ]
        assert sum(map(len, contexts)) == 2 * agents * rounds
