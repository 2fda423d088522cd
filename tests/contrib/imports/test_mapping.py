import json

import pytest

from moot import InputError, UnknownName
from moot.contrib.imports.debate_log import LoggedDebate
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.mapping import read_mapping

ROW = {
    "uid": 7,
    "problem": "Which?",
    "gold": "B",
    "opts": {"A": "one", "B": "two"},
    "talk": [
        {"who": "ada", "said": "A", "n": 1, "lm": "m1", "tok": 3},
        {"who": "bob", "said": "B", "n": 1, "lm": "m2", "tok": 4},
        {"who": "ada", "said": "B now", "n": 2, "lm": "m1", "tok": 5},
    ],
    "end": "B",
    "right": True,
    "ruling": "B it is.",
}
MAPPING = """\
# where things are
id = "uid"
question = "problem"
answer = "gold"
options = "opts"
turns = "talk"
reply = "said"
agent = "who"
round = "n"
model = "lm"
completion_tokens = "tok"
judge = "ruling"
final = "end"
correct = "right"
kind = "choice"
method = "chateval"
dataset = "riddles"
"""


@pytest.fixture
def read_by(write, tmp_path):
    """Read a value by a mapping; return debates, unread parts and the format."""

    def read(value, mapping, name="log.json"):
        (tmp_path / "map.toml").write_text(mapping)
        form = read_mapping(tmp_path / "map.toml")
        parts = list(form.read(Log(write(value, name))))
        debates = [each for each in parts if isinstance(each, LoggedDebate)]
        return debates, [each for each in parts if not isinstance(each, LoggedDebate)], form

    return read


def test_every_key_of_a_mapping(read_by):
    [debate], unread, form = read_by([ROW], MAPPING)
    assert not unread
    assert len(MAPPING.splitlines()) <= 20
    assert (form.name, form.about[:9]) == ("mapping", "map.toml,")
    assert (debate.id, debate.dataset, debate.method) == ("7", "riddles", "chateval")
    question = debate.question
    assert (question.text, question.kind, question.answer) == ("Which?", "choice", "B")
    assert question.choices == ("one", "two")
    assert [(turn.agent, turn.round, turn.text) for turn in debate.turns] == [
        ("ada", 1, "A"),
        ("bob", 1, "B"),
        ("ada", 2, "B now"),
        ("judge", 0, "B it is."),
    ]
    assert [(each.name, each.model, each.answers) for each in debate.agents] == [
        ("ada", "m1", True),
        ("bob", "m2", True),
        ("judge", "", False),
    ]
    assert [turn.completion_tokens for turn in debate.turns] == [3, 4, 5, None]
    verdict = debate.verdict
    assert (verdict.answer, verdict.turn, verdict.correct) == ("B", 4, True)
    assert debate.place == "log.json, item 1"


def turn(name, text, number=None):
    return {"n": name, "t": text, "r": number}


def user(text):
    return {"role": "user", "content": text}


def says(text):
    return {"role": "assistant", "content": text}


SPOKEN = [("a", 1, "a1"), ("b", 1, "b1"), ("a", 2, "a2"), ("b", 2, "b2")]


@pytest.mark.parametrize(
    ("log", "mapping"),
    [
        ({"by": {"a": ["a1", "a2"], "b": ["b1", "b2"]}}, 'agents = "by"\nrounds = "@"'),
        ({"r": [{"a": "a1", "b": "b1"}, {"a": "a2", "b": "b2"}]}, 'rounds = "r"\nagents = "@"'),
        (
            {"r": [[turn("a", "a1"), turn("b", "b1")], [turn("a", "a2"), turn("b", "b2")]]},
            'rounds = "r"\nagents = "@"\nagent = "n"\nreply = "t"',
        ),
        (
            {"c": {"a": [user("q"), says("a1"), says("a2")], "b": [says("b1"), says("b2")]}},
            'agents = "c"\nrounds = "[?role==\'assistant\']"\nreply = "content"',
        ),
        (
            {"a_1": "a1", "a_2": "a2", "b_1": "b1", "b_2": "b2"},
            'rounds = "[{a: a_1, b: b_1}, {a: a_2, b: b_2}]"\nagents = "@"',
        ),
        (
            {
                "t": [
                    turn("a", "a1", "1"),
                    turn("b", "b1", 1),
                    turn("a", "a2", 2),
                    turn("b", "b2", 2),
                ]
            },
            'turns = "t"\nagent = "n"\nreply = "t"\nround = "r"',
        ),
    ],
)
def test_agents_and_rounds_lie_in_any_order(read_by, log, mapping):
    [debate], unread, _ = read_by([{"q": "Which?", **log}], f'question = "q"\n{mapping}\n')
    assert not unread
    assert [(turn.agent, turn.round, turn.text) for turn in debate.turns] == SPOKEN


def test_debates_inside_a_file_and_keys_as_questions(read_by):
    nested = {"meta": 1, "results": {"items": [{"q": "x", "r": ["a"]}, {"q": "y", "r": ["b"]}]}}
    debates, _, _ = read_by(nested, 'debates = "results.items"\nquestion = "q"\nagents = "r"\n')
    assert [debate.question.text for debate in debates] == ["x", "y"]
    assert debates[1].place == "log.json, debate 2"
    debates, _, _ = read_by({"x": {"r": ["a"]}, "y": {"r": ["b"]}}, 'agents = "r"\n')
    assert [debate.question.text for debate in debates] == ["x", "y"]
    one = {"q": "x", "r": {"a": "1"}}
    [debate], _, _ = read_by(one, 'debates = "@"\nquestion = "q"\nagents = "r"\n')
    assert debate.turns[0].agent == "a"


def test_a_setting_tells_arms_apart(read_by):
    rows = [{"q": "x", "r": ["a"], "by": how} for how in ("vote", "debate")]
    debates, _, _ = read_by(rows, 'question = "q"\nagents = "r"\nsetting = "by"\n')
    assert [debate.settings for debate in debates] == [{"setting": "vote"}, {"setting": "debate"}]


def test_judges_by_name_have_no_vote(read_by):
    mapping = (
        'question = "problem"\nturns = "talk"\nagent = "who"\nreply = "said"\njudges = ["bob"]\n'
    )
    [debate], _, _ = read_by([ROW], mapping)
    assert [(agent.name, agent.role, agent.answers) for agent in debate.agents] == [
        ("ada", "debater", True),
        ("bob", "judge", False),
    ]
    assert [turn.votes for turn in debate.turns] == [True, False, True]


@pytest.mark.parametrize(
    ("mapping", "fault"),
    [
        ('question = "q"', "map.toml: needs turns, agents or rounds"),
        (f'turns = "{"9" * 5000}"', "no JMESPath expression: Exceeds the limit"),
        ('turns = "a"\nagents = "b"', "map.toml, line 1: turns = 'a': stands alone"),
        (
            'turns = "a"\nquestion = "a["',
            "line 2: question = 'a[': no JMESPath expression",
        ),
        (
            'turns = "a"\n\nreply = 3',
            "line 3: reply = 3: should be a JMESPath expression",
        ),
        ('turns = "a"\njudges = "x"', "line 2: judges = 'x': should be a list of names"),
        ("turns = ", "map.toml: not TOML"),
    ],
)
def test_a_mapping_that_is_none_names_its_line(read_by, mapping, fault):
    with pytest.raises(InputError) as raised:
        read_by([ROW], mapping)
    assert fault in str(raised.value)


def test_keys_and_kinds_that_are_none_are_named(read_by):
    with pytest.raises(UnknownName, match="replies"):
        read_by([ROW], 'turns = "a"\nreplies = "b"')
    with pytest.raises(UnknownName, match="numbr"):
        read_by([ROW], 'turns = "a"\nkind = "numbr"')


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('question = "nothing"', "line 1: question = 'nothing' gave nothing; a text is expected"),
        ('question = "talk"', "line 1: question = 'talk' gave [{'who': 'ada'"),
        ('question = "sum(problem)"', "line 1: question = 'sum(problem)': "),
        ('question = "problem"\nanswer = "talk[0]"', "line 2: answer = 'talk[0]' gave {'who'"),
        ('question = "problem"\nround = "said"', "line 2: round = 'said' gave 'A'; a number"),
        (
            'question = "problem"\nfinal = "[uid, gold]"',
            "line 2: final = '[uid, gold]' gave ('7', 'B')",
        ),
        ('question = "problem"\ncorrect = "gold"', "correct = 'gold' gave 'B'; true or false"),
    ],
)
def test_what_an_expression_gives_is_said_with_its_place(read_by, line, fault):
    good = {"problem": "x", "talk": []}
    _, unread, _ = read_by([ROW, good], f'{line}\nturns = "talk"\nreply = "said"\n')
    assert unread[0].place == "log.json, item 1"
    assert fault in unread[0].why


def test_debates_that_are_not_there_end_the_import(read_by):
    with pytest.raises(InputError, match=r"log.json: map.toml, line 1: debates = 'x' gave nothing"):
        read_by({"y": 1}, 'debates = "x"\nturns = "y"\n')


def test_a_file_of_another_form_is_unread_among_others(write, tmp_path):
    write({"q": "Which?", "said": {"a": "It is B.", "b": "It is C."}}, "log/one.json")
    write({"q": "Where?", "said": {"a": "It is here.", "b": "It is there."}}, "log/two.json")
    write([1, 2], "log/numbers.json")
    (tmp_path / "map.toml").write_text('debates = "[@][?q]"\nquestion = "q"\nagents = "said"\n')
    parts = list(read_mapping(tmp_path / "map.toml").read(Log(tmp_path / "log")))
    assert [each.question.text for each in parts] == ["Which?", "Where?"]
    (tmp_path / "map.toml").write_text('debates = "@"\nquestion = "q"\nagents = "said"\n')
    first, *others, last = list(read_mapping(tmp_path / "map.toml").read(Log(tmp_path / "log")))
    assert first.place == "numbers.json, debate 1"
    assert [each.settings for each in (*others[1:], last)] == [{}, {}]  # a file is one debate
    (tmp_path / "map.toml").write_text('debates = "q"\nquestion = "q"\nagents = "said"\n')
    unread = list(read_mapping(tmp_path / "map.toml").read(Log(tmp_path / "log")))
    assert [each.place for each in unread] == ["numbers.json", "one.json", "two.json"]


def test_a_mapping_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"--mapping .*nothing.toml: cannot be read: No such file"):
        read_mapping(tmp_path / "nothing.toml")


def test_another_mapping_is_another_format(tmp_path):
    for name, text in (("a.toml", 'turns = "a"'), ("b.toml", 'turns = "b"')):
        (tmp_path / name).write_text(text)
    first, second = read_mapping(tmp_path / "a.toml"), read_mapping(tmp_path / "b.toml")
    assert first.about != second.about


def test_expressions_of_a_user_on_a_log_of_a_stranger(read_by):
    deep = json.loads("[" * 60 + "]" * 60)
    _, unread, _ = read_by([{"q": "x", "t": deep}], 'question = "q"\nturns = "t"\n')
    assert "leads to [[" in unread[0].why
