import pytest

from moot.core.questions import Question
from moot.parsing.experts import Experts, experts_schema, parse_experts

ANY = Question(id="q", kind="text", text="?")


def read_experts(text, **given):
    return parse_experts(text, ANY, **given).reading


@pytest.mark.parametrize(
    "text",
    [
        '{"experts": ["Physicist", "Chemist"]}',
        '{"reasons": ["needed"], "experts": ["1. Physicist", "**Chemist**"]}',
        "Sure:\n```json\n{'experts': ['Physicist', 'Chemist',]}\n```",
        '["Physicist", "Chemist"]',
        '[{"id": 1, "role": "Physicist"}, {"id": 2, "role": "Chemist"}]',
        '{"expert_1": "Physicist", "expert_2": {"role": "Chemist"}, "why": "They know."}',
        '{"experts": {"1": "Physicist", "2": "Chemist"}}',
        '{"experts": "1. Physicist\\n2. Chemist"}',
        "1. Physicist\n2. Chemist",
        "Here [as asked] are two:\n\n1) **Physicist**\n   - knows waves\n2) *Chemist*\n\nBye!",
        "* Physicist\n  * knows waves\n* Chemist",
        "- Physicist\n- Chemist",
        "Expert 1: Physicist\nExpert 2: Chemist",
        "**Expert 1 - Physicist**\n**Expert 2 - Chemist**",
        "We need:\nPhysicist\nChemist",
    ],
)
def test_experts_are_read_from_json_and_from_lists(text):
    assert read_experts(text) == Experts(roles=("Physicist", "Chemist"))


def test_a_role_may_say_more():
    text = "1. **Physicist**: studies `matter`\n2. 19th-century historian, 3D artist"
    expected = ("Physicist: studies matter", "19th-century historian, 3D artist")
    assert read_experts(text) == Experts(roles=expected)
    said = '[{"name": "Dr. Chen", "role": "Chemist"}]'
    assert read_experts(said) == Experts(roles=("Dr. Chen: Chemist",))


def test_a_role_is_one_line_of_at_most_200_characters():
    experts = read_experts('{"experts": ["a\\nb", "' + "word " * 100 + '", "' + "x" * 300 + '"]}')
    assert experts is not None
    assert experts.roles == ("a b", " ".join(["word"] * 40), "x" * 200)


@pytest.mark.parametrize(
    "text", ["", "I cannot help with that.", '{"experts": []}', '{"experts": null}', "1.\n2.", "{}"]
)
def test_no_experts(text):
    assert read_experts(text) is None


def test_the_role_that_was_cut_in_does_not_count():
    one = Experts(roles=("Physicist",))
    assert read_experts('{"experts": ["Physicist", "Chem', finished=False) == one
    assert read_experts("1. Physicist\n2. Chem", finished=False) == one


def test_the_schema_is_an_array_of_strings():
    schema = experts_schema(Question(id="q", kind="text", text="Why?"))
    assert schema["required"] == ["experts"]
    assert schema["properties"]["experts"]["items"] == {"type": "string"}
