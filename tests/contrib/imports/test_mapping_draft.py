import json

import pytest

from moot import InputError
from moot.contrib.imports.debate_log import LoggedDebate
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.contrib.imports.mapping import read_mapping
from moot.contrib.imports.mapping_draft import draft_mapping

TALK = [(who, n, f"{who} says {n}") for n in (1, 2) for who in "ab"]


def flat():
    turns = [{"speaker": who, "round": n, "text": text} for who, n, text in TALK]
    row = {"gold": "B", "dialogue": turns}
    return [{"id": f"r{n}", "question": f"Which {n}?", **row} for n in (1, 2)]


def by_agent():
    own = {who: [text for name, _, text in TALK if name == who] for who in "ab"}
    row = {"answer": "B", "responses": own, "final_answer": "B"}
    return [{"problem": f"Which {n}?", **row} for n in (1, 2)]


def by_round():
    rounds = [{who: text for who, n, text in TALK if n == number} for number in (1, 2)]
    rows = [{"query": f"Which {n}?", "label": "B", "rounds": rounds} for n in (1, 2)]
    return {"config": {"x": 1}, "results": rows}


def contexts():
    own = [
        [
            {"role": role, "content": text if role == "assistant" else "Which?"}
            for name, _, text in TALK
            if name == who
            for role in ("user", "assistant")
        ]
        for who in "ab"
    ]
    return {f"Which {n}?": {"agent_contexts": own, "ground_truth": "B"} for n in (1, 2)}


def columns():
    texts = {"agent_1_response": "a says 1", "agent_2_response": "b says 1", "judge": "B"}
    return [{"prompt": f"Which {n}?", "target": "B", **texts} for n in (1, 2)]


def rounds_beside():
    """Return debates whose rounds have each speaker's text beside their number."""
    own = [
        {"round": number} | {who: text for who, n, text in TALK if n == number} for number in (1, 2)
    ]
    return [{"question": f"Which {n}?", "correct_label": "B", "talk": own} for n in (1, 2)]


def objects():
    """Return debates whose replies are objects, with tokens beside the words."""
    turns = [
        {"agent_name": who, "round": n, "response": {"text": text, "usage": {"prompt_tokens": 7}}}
        for who, n, text in TALK
    ]
    return [{"question": f"Which {n}?", "groundtruth": "B", "talk": turns} for n in (1, 2)]


def sides():
    """Return debates with an object of rounds for each side."""
    own = {who: {f"round_{n}": text for name, n, text in TALK if name == who} for who in "ab"}
    return [{"motion": f"Which {n}?", "expected": "B", **own} for n in (1, 2)]


def conversations():
    """Return conversations, each with the debates that it is made of."""
    turns = [{"role": who, "turn": n, "evaluation": text} for who, n, text in TALK]
    return [
        {
            "conversation": n,
            "results": [{"question": f"Which {n}?", "answer": "B", "evaluation": turns}],
        }
        for n in (1, 2)
    ]


def one_file():
    turns = [{"name": who, "content": text} for who, _, text in TALK]
    return {"topic": "Which 1?", "transcript": turns, "verdict": "B"}


def society():
    """Return debates as a society of minds saves them, by question."""
    own = json.dumps(next(iter(contexts().values()))["agent_contexts"])
    return {
        question: [json.loads(own.replace("Which?", question)), "B"]
        for question in ("Which 1?", "Which 2?")
    }


def society_lists():
    return [[question, *debate] for question, debate in society().items()]


def society_lines():
    return [{question: debate} for question, debate in society().items()]


def society_without_questions():
    return list(society().values())


SOCIETIES = [society, society_lists, society_lines, society_without_questions]


@pytest.mark.parametrize("make", SOCIETIES)
def test_a_society_of_minds_has_a_draft_that_reads_what_its_own_format_reads(write, tmp_path, make):
    path = write(make(), "log.jsonl" if make is society_lines else "log.json")
    (tmp_path / "map.toml").write_text(draft_mapping(Log(path)))
    drafted = list(read_mapping(tmp_path / "map.toml").read(Log(path)))
    own = list(find_format(Log(path), "society-of-minds").read(Log(path)))
    assert len(drafted) == len(own) == 2
    for one, other in zip(drafted, own, strict=True):
        assert one.question == other.question
        assert [(turn.agent, turn.round, turn.text) for turn in one.turns] == [
            (turn.agent, turn.round, turn.text) for turn in other.turns
        ]
        assert [turn.text for turn in one.turns] == [text for *_, text in TALK]


def test_a_published_society_has_a_draft(shared, tmp_path):
    path = shared("society-mmlu") / "mmlu_3_2.json"
    (tmp_path / "map.toml").write_text(draft_mapping(Log(path)))
    drafted = list(read_mapping(tmp_path / "map.toml").read(Log(path)))
    own = list(find_format(Log(path), "society-of-minds").read(Log(path)))
    assert [each.question.answer for each in drafted] == [each.question.answer for each in own]
    assert [turn.text for each in drafted for turn in each.turns] == [
        turn.text for each in own for turn in each.turns
    ]


SHAPES = [
    *(flat, by_agent, by_round, contexts, columns, one_file),
    *(rounds_beside, objects, sides, conversations),
]


@pytest.mark.parametrize("name", ["log.json", "log.jsonl"])
@pytest.mark.parametrize("make", SHAPES)
def test_a_draft_imports_as_it_is(write, tmp_path, make, name):
    value = make()
    if name.endswith("jsonl") and not isinstance(value, list):
        pytest.skip("this shape is no list")
    path = write(value, name)
    draft = draft_mapping(Log(path))
    assert len(draft.splitlines()) <= 20
    (tmp_path / "map.toml").write_text(draft)
    debates = list(read_mapping(tmp_path / "map.toml").read(Log(path)))
    assert all(isinstance(each, LoggedDebate) for each in debates), draft
    count = 1 if make is one_file else 2
    assert [debate.question.text for debate in debates] == [f"Which {n + 1}?" for n in range(count)]
    for debate in debates:
        said = [(turn.agent, turn.round, turn.text) for turn in debate.turns]
        if make is one_file:
            assert [(who, text) for who, _, text in said] == [(who, text) for who, _, text in TALK]
        elif make is columns:
            assert said[:2] == [("agent 1", 0, "a says 1"), ("agent 2", 0, "b says 1")]
            assert (debate.turns[2].agent, debate.agents[2].answers) == ("judge", False)
        elif make is contexts:
            assert said == [(f"agent {'ab'.index(who) + 1}", n, text) for who, n, text in TALK]
        else:
            assert said == TALK
        assert debate.turns[0].prompt_tokens == (7 if make is objects else None)
        assert (debate.verdict.answer if make is one_file else debate.question.answer) == "B"


def test_names_of_questions_stand_for_questions(write, tmp_path):
    rows = [
        {"question_id": f"gsm8k_{n}", "expected": "4", "answers": {"m": "4", "n": "5"}}
        for n in "01"
    ]
    path = write(rows)
    (tmp_path / "map.toml").write_text(draft_mapping(Log(path)))
    debates = list(read_mapping(tmp_path / "map.toml").read(Log(path)))
    assert [debate.question.text for debate in debates] == ["gsm8k_0", "gsm8k_1"]


def test_the_first_message_is_the_question_of_a_talk_without_one(write, tmp_path):
    talk = [{"role": "user", "content": "Which?"}, {"role": "assistant", "content": "It is B."}]
    path = write({"scenario": "one", "talk": talk})
    (tmp_path / "map.toml").write_text(draft_mapping(Log(path)))
    [debate] = read_mapping(tmp_path / "map.toml").read(Log(path))
    assert debate.question.text == "Which?"
    assert [turn.text for turn in debate.turns] == ["It is B."]


def test_of_several_files_the_one_with_debates_is_drafted(write, tmp_path):
    """Files of other kinds are no parts of the draft, and their places are said at the import."""
    log = tmp_path / "log"
    write({"environment": {"python": "three point eleven", "model": "of this year"}}, "log/a.json")
    write("{ no JSON", "log/b.json")
    write(flat(), "log/c.json")
    draft = draft_mapping(Log(log))
    assert draft.startswith("# drafted from c.json;")
    assert 'turns = "dialogue"' in draft


def test_lists_of_facts_are_no_agents(write):
    row = {"question": "Which?", "requirements": ["one", "two"], "flags": ["three", "four"]}
    assert 'agents = "{' not in draft_mapping(Log(write([row])))


def test_a_draft_says_what_it_did_not_find(write):
    row = {"text": "?", "odd key": 1, "replies": ["some text", "more"]}
    draft = draft_mapping(Log(write([row])))
    assert "# question = ..." in draft
    assert "# answer = ..." in draft
    assert '"odd key"' in draft


@pytest.mark.parametrize("value", [3, [], {}, [1, 2], {"a": 1}, [{"a": 1}], [[]], "text"])
def test_a_log_without_replies_has_no_draft(write, value):
    with pytest.raises(InputError, match="no mapping can be drafted"):
        draft_mapping(Log(write(value)))


def test_a_key_without_a_name_is_no_name_of_a_question(write):
    draft = draft_mapping(Log(write([{"": "q?", "replies": ["some text", "more"]}])))
    assert "# question = ..." in draft
