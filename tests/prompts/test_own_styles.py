"""A file of prompts may add a style, for agents, for studies, and for the nodes of a network."""

import pytest

import moot
from moot.core.errors import InputError, UnknownName
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.studies.study_file import load

TERSE = """
[style.terse]
new = true
text = "{{ question }}\\nOne word, no reasons. {{ form }}"

[form.terse]
text = "Reply with {{ value }} and nothing else."
"""
SOCIETY = registry.get("society-of-minds")


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(TERSE)
    return file


async def test_an_agent_answers_in_a_style_of_one_s_own(mine, tmp_path):
    calls = []

    def script(call):
        calls.append(call)
        return "Final answer: 4"

    given = {"kind": "number", "agents": [{"style": "terse"}, {}], "rounds": 1}
    given |= {"model": Scripted(script), "prompts": mine, "store": tmp_path / "store"}
    answer = await moot.ask("2+2?", **given)
    assert answer.answer == "4"
    assert "One word, no reasons. Reply with" in calls[0].messages[-1].content


def test_a_study_takes_it(mine, tmp_path):
    network = {
        "protocol": "network", "graph": "own", "edges": [["C1", "C2"], ["C2", "judge"]],
        "nodes": [{"name": "C1", "style": "terse"}, {"name": "C2"}],
    }  # fmt: skip
    study = {
        "name": "own",
        "prompts": str(mine),
        "settings": {"model": "scripted?reply=4", "style": "terse"},
        "datasets": [{"name": "arithmetic", "n": 1}],
        "arms": [{"protocol": "single"}, network],
    }
    arms = load(study).arms
    assert [arm.settings["style"] for arm in arms] == ["terse", "terse"]
    assert [node["style"] for node in arms[1].settings["nodes"]] == ["terse", "terse"]
    with pytest.raises(UnknownName, match="unknown style 'terse'"):
        load({key: value for key, value in study.items() if key != "prompts"})


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[style.cot]\nnew = true\ntext = 'x'\n", "cot: moot has it already"),
        ("[style.own]\nnew = true\ntext = '{{ others }}'\n", "unknown slot 'others'"),
        ("[style.own]\nnew = true\n", "a prompt needs text"),
        ("[style.ctt]\ntext = 'x'\n", "unknown style prompt 'ctt'"),
    ],
)
def test_what_a_new_style_cannot_be(mine, text, error):
    mine.write_text(text)
    with pytest.raises(InputError, match=error):
        SOCIETY.pack(mine)
