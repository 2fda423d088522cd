import json
from collections import Counter

FORM = "mad"


def user(text):
    return {"role": "user", "content": text}


def says(text):
    return {"role": "assistant", "content": text}


SYSTEM = {"role": "system", "content": "The debate topic is stated as follows:\nIs it so?"}
DEBATE = {
    "model_name": "gpt-3.5-turbo",
    "temperature": 0,
    "debate_answer": "no",
    "Reason": "The negative side convinced.",
    "players": {
        "Affirmative side": [
            SYSTEM,
            user("Is it so?"),
            says("yes 1"),
            user("no 1. Agree?"),
            says("yes 2"),
        ],
        "Negative side": [
            SYSTEM,
            user("yes 1. You disagree."),
            says("no 1"),
            user("yes 2"),
            says("no 2"),
        ],
        "Moderator": [
            SYSTEM,
            user("first round: yes 1, no 1"),
            says("{'Whether there is a preference': 'No', 'debate_answer': ''}"),
            user("second round: yes 2, no 2"),
            says('{"Supported Side": "Negative", "debate_answer": "no"}'),
        ],
    },
}


def spoken(debate):
    return [(turn.agent[0], turn.round, turn.text[:5]) for turn in debate.turns]


def test_turns_stand_in_the_order_in_which_they_were_said(write, read):
    [debate], unread, _ = read(write(DEBATE, "12.json"), form=FORM)
    assert not unread
    assert spoken(debate) == [
        ("A", 1, "yes 1"),
        ("N", 1, "no 1"),
        ("M", 1, "{'Whe"),
        ("A", 2, "yes 2"),
        ("N", 2, "no 2"),
        ("M", 2, '{"Sup'),
    ]
    assert (debate.id, debate.method, debate.question.text) == ("12", "multi-persona", "Is it so?")
    assert [(agent.role, agent.answers) for agent in debate.agents] == [
        ("affirmative", True),
        ("negative", True),
        ("moderator", False),
    ]
    assert [turn.answer for turn in debate.turns] == [None] * 5 + ["no"]
    assert [turn.votes for turn in debate.turns] == [True, True, False] * 2
    verdict = debate.verdict
    assert (verdict.answer, verdict.by, verdict.turn) == ("no", "Moderator", 6)
    assert verdict.text == "The negative side convinced."


def test_a_judge_speaks_when_all_others_have(write, read):
    judge = [
        SYSTEM,
        user("yes 1. no 1"),
        says("candidates"),
        user("So?"),
        says('{"debate_answer": "yes"}'),
    ]
    players = {"Judge": judge, **DEBATE["players"]}
    [debate], _, _ = read(write({**DEBATE, "players": players}))
    assert [turn.agent for turn in debate.turns[-2:]] == ["Judge", "Judge"]
    assert [turn.round for turn in debate.turns[-2:]] == [2, 2]
    assert debate.turns[-1].answer == "yes"


def test_several_debates_in_a_file(write, read):
    debates, unread, _ = read(write([DEBATE, {"players": {}}, DEBATE], "all.jsonl"), form=FORM)
    assert [debate.id for debate in debates] == ["1", "3"]
    assert [each.place for each in unread] == ["all.jsonl, line 2"]


def test_folders_are_datasets_and_other_files_are_left_out(write, read, tmp_path):
    write(DEBATE, "a/1.json")
    write(DEBATE, "b/1.json")
    (tmp_path / "broken.json").write_text("// no JSON")
    debates, unread, log = read(tmp_path, form=FORM)
    assert not unread
    assert [(debate.dataset, debate.id) for debate in debates] == [("a", "1"), ("b", "1")]
    [note] = log.notes
    assert "broken.json, line 1, column 1" in note.what


def test_a_ruling_that_is_no_object_states_nothing(write, read):
    odd = ["no object", "[" * 900, "{'a': __import__('os')}", "9" * 5000, '["debate_answer"]']
    moderator = [each for text in odd for each in (user("Rule."), says(text))]
    players = {**DEBATE["players"], "Moderator": moderator}
    [debate], _, _ = read(write({**DEBATE, "players": players}))
    assert {turn.answer for turn in debate.turns} == {None}


def test_players_that_say_the_same_again_still_take_turns(write, read):
    same = {
        "Affirmative side": [user("q"), says("same"), user("same"), says("same")],
        "Negative side": [user("same"), says("same"), user("same"), says("same")],
    }
    [debate], _, _ = read(write({"players": same}))
    assert [turn.agent[0] for turn in debate.turns] == ["A", "N", "A", "N"]


def test_very_many_turns_take_no_long_time(write, read):
    many = [each for n in range(3000) for each in (user("x" * 50), says(f"{n}" * 9))]
    [debate], _, _ = read(write({"players": {"A": many, "B": many}}))
    assert len(debate.turns) == 6000


def test_real_debates_have_their_moderator_turns(shared, read):
    debates, unread, _ = read(shared("mad-translation"), form=FORM)
    assert not unread
    assert len(debates) == 200
    ruled = Counter(sum(turn.agent == "Moderator" for turn in debate.turns) for debate in debates)
    assert ruled == {4: 167, 3: 18, 2: 8, 1: 7}
    order = Counter("".join(turn.agent[0] for turn in debate.turns) for debate in debates)
    assert order == {
        "A" + "ANM" * 4 + "JJ": 164,
        "A" + "ANM" * 4: 3,
        "A" + "ANM" * 3: 18,
        "A" + "ANM" * 2: 8,
        "AANM": 7,
    }
    for debate in debates[::20]:
        raw = json.loads((shared("mad-translation") / f"{debate.id}.json").read_bytes())
        for player, messages in raw["players"].items():
            own = [each["content"] for each in messages if each["role"] == "assistant"]
            assert [turn.text for turn in debate.turns if turn.agent == player] == own
        assert debate.verdict.answer == raw["debate translation"]
