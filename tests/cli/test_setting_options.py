"""What stands behind ``--set`` and ``--agent``."""

import pytest

from moot.cli.setting_options import parse_agents, parse_settings
from moot.core.errors import InputError


def test_values_stay_text_but_for_lists_and_none():
    given = ["agents=3", "temperature=.5", "top_p=none", "note=a=b", "odd=[x]", "put=.net"]
    assert parse_settings(given) == {
        "agents": "3",
        "temperature": "0.5",
        "top_p": None,
        "note": "a=b",
        "odd": "[x]",
        "put": ".net",
    }
    nodes, edges = '[{"name": "A"}]', '[["A", "judge"]]'
    assert parse_settings([f"nodes={nodes}", f"edges={edges}"]) == {
        "nodes": [{"name": "A"}],
        "edges": [["A", "judge"]],
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["agents"], "key=value"),
        (["=3"], "key=value"),
        (["agents=3", "agents=4"], "agents is set twice"),
    ],
)
def test_a_setting_has_a_key_and_a_value_and_is_set_once(given, said):
    with pytest.raises(InputError, match=said):
        parse_settings(given)


def test_agents_have_values_of_their_types():
    model = "scripted?reply=Yes, of course.&concurrency=2"  # no key follows its comma
    listed = [f"model={model},temperature=.2", "role=judge, max_tokens=64,top_p=none", ""]
    assert parse_agents(listed) == [
        {"model": model, "temperature": 0.2},
        {"role": "judge", "max_tokens": 64, "top_p": None},
        {},
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("smollm2", ["--agent smollm2", "key=value"]),
        ("temprature=1", ["--agent temprature=1", "did you mean 'temperature'"]),
        ("temperature=hot", ["temperature: expected `a number`", "--agent temperature=hot"]),
        ("temperature=3", ["temperature", "<= 2"]),
        ("role=judge,max_tokens=0", ["max_tokens", ">= 1"]),
        ("style=cot,style=simple", ["style is set twice"]),
    ],
)
def test_a_mistake_names_the_agent_and_what_is_right(text, said):
    with pytest.raises(InputError) as caught:
        parse_agents(["temperature=1", text])
    for part in said:
        assert part in str(caught.value)
