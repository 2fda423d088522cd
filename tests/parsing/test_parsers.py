"""Every reader, whatever it is given: an answer in canonical form or none, and soon."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.questions import KINDS, Question
from moot.parsing.parser import Parsed, registry
from support.questions import is_canonical

QUESTIONS = {
    "choice": Question(id="c", kind="choice", text="A mammal?", choices=("shark", "dolphin")),
    "boolean": Question(id="b", kind="boolean", text="Is 7 prime?"),
    "number": Question(id="n", kind="number", text="How many?"),
    "square": Question(id="s", kind="square", text="Where may the knight go?"),
    "math": Question(id="m", kind="math", text="What is $2/\\sqrt{2}$?"),
    "text": Question(id="t", kind="text", text="Name the capital of France."),
}
RIGHT = {
    "choice": "B", "boolean": "true", "number": "42", "square": "e5", "text": "Paris",
    "math": r"\frac{\sqrt{2}}{a_{1}}",
}  # fmt: skip


OWN = {each.name: each for each in registry if each.function.__module__.partition(".")[0] == "moot"}


def read(name, text, question, *, finished=True, heard=None) -> Parsed:
    return OWN[name](text, question, finished, heard)


NAMES = """
answer answer-list approval-ruling ballot challenge closing conclusion confidence
confidence-percent confidence-ten confidence-words confident-answer decision dialogue discussion
essay evaluation experts finding-votes findings first-capital grades grounding improvement
last-capital match-ruling opinion passage-choice personas plan proposal reasoned reply review
rubric-review ruling sameness scored search-query selection self-critique solution support text
"""
IN_JSON = """
approval-ruling ballot conclusion confident-answer decision evaluation experts finding-votes
findings grounding match-ruling opinion personas reasoned ruling selection self-critique support
"""


def test_there_are_these_readers_and_these_are_json():
    assert sorted(OWN) == NAMES.split()
    assert [name for name, reader in OWN.items() if reader.schema] == IN_JSON.split()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name, reader in OWN.items() if reader.schema])
def test_what_a_schema_asks_for_is_read(name, kind):
    schema = OWN[name].schema(QUESTIONS[kind])
    reply = {key: filled(key, form, RIGHT[kind]) for key, form in schema["properties"].items()}
    assert sorted(schema["required"]) == sorted(reply)
    assert schema["additionalProperties"] is False
    heard = {"It is so.": RIGHT[kind]}  # a ballot is for a label
    reading = read(name, json.dumps(reply), QUESTIONS[kind], heard=heard)
    assert reading.reading is not None
    if name == "approval-ruling":  # it is on what the question proposes
        assert reading.answer == {"boolean": "true", "text": "approved"}.get(kind)
    else:
        none = name in NAMING or "answer" not in " ".join(reply).casefold()
        assert reading.answer == (None if none and name != "ballot" else RIGHT[kind])


NAMING = ("experts", "personas", "selection")
"""Readers of replies that name somebody and have no answer."""


def filled(key, form, right):
    """A value that the schema of a property allows."""
    if "answer" in key.casefold().split("_")[-1].split()[-1]:
        assert right in form.get("enum", [right])
        return right
    if "maximum" in form:
        return form["maximum"]
    if form["type"] == "object":
        return {"It is so.": 10}
    if form["type"] == "array" and "properties" in form["items"]:
        each = form["items"]["properties"]
        some = {"agent_id": 1, "finding": "It is so."}  # a vote is on a label
        return [{key: some.get(key, each[key].get("enum", [f"Some {key}"])[0]) for key in each}]
    if form["type"] == "array":
        return ["Physicist", "Chemist"]
    return form["enum"][0] if "enum" in form else "It is so."


SATISFIED = "Do you find the final answer provided by the assistant accurate and satisfactory?"


@pytest.mark.parametrize(
    ("name", "kind", "key", "allowed"),
    [
        ("reasoned", "choice", "answer", ["A", "B"]),
        ("evaluation", "choice", "Correctness", [0, 1]),
        ("opinion", "choice", SATISFIED, ["Yes", "No"]),
        ("opinion", "choice", "final_answer", ["A", "B", ""]),
        ("match-ruling", "text", "winner", ["A", "B", "tie"]),
        ("conclusion", "choice", "debate_answer", ["A", "B"]),
        # A decision must decide, and a ruling need not.
        ("ruling", "choice", "debate_answer", ["A", "B", ""]),
        ("decision", "choice", "debate_answer", ["A", "B"]),
        ("ruling", "boolean", "debate_answer", ["true", "false", ""]),
        ("decision", "boolean", "debate_answer", ["true", "false"]),
        ("ruling", "number", "Supported Side", ["Affirmative", "Negative", ""]),
        ("decision", "number", "Supported Side", ["Affirmative", "Negative"]),
    ],
)
def test_where_values_are_few_a_schema_allows_no_other(name, kind, key, allowed):
    assert OWN[name].schema(QUESTIONS[kind])["properties"][key]["enum"] == allowed


PIECES = st.sampled_from(
    [
        "Final Answer:", "Proposed Answer:", "Decision:", "The correct answer is", "Continue",
        "debate.", "Scores:", "Round 1 -", "Agent 2", "Critic", "8", "10/10", "Correctness", ":",
        "-", "1", "0", "yes", "no", "B", "dolphin", "e5", "true", "3/4", "1/0", "{", "}", "[", "]",
        '"', "'", ",", '"experts"', '"final_answer"', '"debate_answer"', "satisfactory?", "Reason",
        "Satisfied:", "Persuaded:", '"personas"', '"description"', '"claim"', "Agent A:", "Claim:",
        "Acknowledgment:", "```", "Essay:", "candidates", "\n", "\n- ", "\n2. ", "**", "|", "(",
        "\\frac{", "½", "１", "\x00", "\ud800", "İ", "e999",
    ]
)  # fmt: skip
REPLIES = st.one_of(st.text(), st.lists(PIECES | st.text(max_size=4), max_size=30).map(" ".join))


@settings(max_examples=600, deadline=None)
@given(
    REPLIES,
    st.sampled_from(sorted(OWN)),
    st.sampled_from(KINDS),
    st.booleans(),
    st.sampled_from([None, {}, {"Agent 2": "B", "Critic": None}]),
)
def test_whatever_is_said_the_answer_is_canonical_or_none(text, name, kind, finished, heard):
    question = QUESTIONS[kind]
    given_heard = heard if kind == "choice" else None
    reading = read(name, text, question, finished=finished, heard=given_heard)
    assert reading.answer is None or is_canonical(reading.answer, question)
    said = reading.reading
    if name == "scored":
        for of_round, scores in said.given.items():
            assert all(1 <= score <= 10 for score in scores.values())
            assert all(said.of(label.upper(), of_round) == scores[label] for label in scores)
        assert said.words == said.words.strip()
    elif name == "closing":
        assert said.decided or reading.answer is None
    elif name == "experts" and said:
        assert said.roles
        assert all(0 < len(role) <= 200 and "\n" not in role for role in said.roles)
    elif name in ("personas", "selection") and said:
        assert said.personas
        for each in said.personas:
            texts = (each.description, each.claim, each.reason)
            assert each.description or (name == "selection" and each.number is not None)
            assert all(len(text) <= 400 and "\n" not in text for text in texts)
    elif name == "plan" and said:
        assert said.points
        assert all(point.text and all(point.supports) for point in said.points)
    elif name in ("discussion", "challenge", "essay", "dialogue"):
        assert said is None or name in ("discussion", "challenge")
    elif name in ("opinion", "evaluation", "ruling", "decision", "conclusion", "reasoned") and said:
        assert said.answer == reading.answer


MEGABYTE = {
    "answer": ["answer: ", "the answer is ", "agent 2 is right ", "#### 1\n", "\\boxed{", "$x$ "],
    "closing": [
        "Decision: ", "Decision: Continue debate.\n", "decision", "Final Answer:\n",
        ". The correct answer is 5", "-", "######",
    ],
    "conclusion": ['{"a":', '{"debate_answer": "', "'answer': '"],
    "evaluation": [
        "Correctness: 1 ", "correctness (", "correct is ", "is it correct ", "{", "{(",
        "Score: 1\n",
    ],
    "experts": [
        "\n", "1. ", "1. a\n", "- a\n", "* a\n", "Expert 1: ", "a\n", "[", '["', '["a",', '{"a":',
        '{"experts": [', '{"experts": ["a"], ', "_*", "[ ",
    ],
    "challenge": ["Persuaded: ", "I am not ", "I am persuaded. ", "\nAgent A:", "we", " "],
    "discussion": ["Satisfied: ", "Satisfied: yes\n", "satisfied ", "I am still ", "\n", '{"'],
    "essay": ["```\n", "Essay:\n", "essay ", "# ", "Sure:\n", "\n```", "the ", "`", "\n", "a"],
    "personas": [
        '{"description": "a"}\n', '{"', '{"a', '{""', '["', "1. a\n", "- a: b\n", "Agent 1: ", "\n",
        "Claim: ", "{", '{"a": {', '"', "{'description': '", "1. a: b - c", "* ", " - ", "agent a",
    ],
    "plan": [
        "1. a\n", "- a\n", "1. ", "\n", "# a\n", "** ", "**a**\n", "(", '{"points": [', '{"a": "b"',
        "Acknowledgment: ", "IVX", "plan ", "  ", "1.1 a\n", "subpoint ", "outline", "{", "[",
    ],
    "selection": ["Candidates 1, 2, 3, ", "candidate ", "1, ", "1 and ", '{"agent_id": 1}', "#1 "],
    "opinion": [
        "satisfactory", "Reason: \n", "accurate? ", "accurate ", '{"final_answer": "', "{]",
        "'answer': '", "final_answer", "\n",
    ],
    "improvement": ["Improved Answer: ", "improved answer ", "their improved answer:"],
    "solution": ["Final answer: ", "final answer\n", "Final answer:\n"],
    "proposal": ["Proposed Answer: ", "proposed answer ", "opponent proposed answer:"],
    "scored": [
        "Scores: ", "scores\n", "Scores: A: 1\n", "A: 1 ", "Round 1 - Agent 1: 8, ", "round 1 ",
        "agent ", "a'a", "a-", "a b c d e f ", "a (", "1", "\n", "Scores:\n\n",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", MEGABYTE)
@pytest.mark.parametrize("kind", ["number", "text"])
def test_a_megabyte_is_read_quickly(name, kind):
    for piece in MEGABYTE[name]:
        text = piece * (1_000_000 // len(piece))
        start = time.process_time()
        read(name, text, QUESTIONS[kind], finished="{" in piece)
        assert time.process_time() - start < 1.0, piece


@pytest.mark.parametrize(
    "text",
    [
        "{" * 190 + "a" * 20_000, "{(" * 150 + '"' * 20_000, '["' * 150 + "a" * 20_000,
        "[[{'" * 90, '{"a":' * 20_000, "{" * 50_000 + "[" * 50_000, "{" + "(" * 200_000,
        "{]" * 100_000, '{"debate_answer": "' + "'answer': '" * 20_000,
    ],
    ids=list("abcdefghi"),
)  # fmt: skip
def test_what_only_looks_like_json_is_given_up_quickly(text):
    for name, reader in OWN.items():
        if reader.schema:
            start = time.process_time()
            read(name, text, QUESTIONS["number"])
            assert time.process_time() - start < 1.0, name
