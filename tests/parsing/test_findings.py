"""Findings, and votes on them, in replies of many forms."""

import pytest

from moot.core.questions import Question
from moot.parsing.findings import Finding, FindingList, FindingVote, FindingVotes
from moot.parsing.parsers import registry

OPEN = Question(id="open", kind="text", text="Review this.")
MERGE = Question(id="merge", kind="boolean", text="May this be merged?")
SHOWN = {"F1": None, "F2": None, "F3": None}


def read(parser, text, question=OPEN, *, finished=True):
    return registry.get(parser)(text, question, finished, SHOWN)


def find(text, *, finished=True):
    reading = read("findings", text, finished=finished).reading
    return None if reading is None else [*reading.findings]


ONE = Finding(what="the sum is wrong", where="line 3", severity="high")


@pytest.mark.parametrize(
    "text",
    [
        '{"findings": [{"severity": "high", "where": "line 3", "what": "the sum is wrong"}]}',
        (
            '```json\n{"findings": [{"Severity": "Critical", "location": "line 3", '
            '"issue": "the sum is wrong"}]}\n```'
        ),
        '[{"priority": "blocker", "line": "line 3", "description": "the sum is wrong"}]',
        (
            'Here is what I found.\n{"findings": [{"severity": "high", "where": "line 3", '
            '"what": "the sum is wrong"},]}\nThat is all.'
        ),
        "- [high] line 3: the sum is wrong",
        "1. **High**: line 3: the sum is wrong",
        "I looked at it.\n\n* (major) line 3: the sum is wrong\n\nFix that.",
    ],
)
def test_a_finding_is_read_from_json_or_a_list(text):
    assert find(text) == [ONE]


@pytest.mark.parametrize(
    "text",
    [
        '{"findings": []}',
        'I read it twice.\n```json\n{"findings": []}\n```',
        "No findings.",
        "I see no serious problems here.",
        "[]",
        "```json\n[ ]\n```",
        "**No issues.**\nFinal answer: yes",
    ],
)
def test_that_nothing_is_found_is_read_too(text):
    assert find(text) == []


@pytest.mark.parametrize("text", ["", "It is a fine text.", "{", '{"findings": "many"}'])
def test_a_reply_without_findings_says_nothing(text):
    assert find(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "The loop over [] is never entered, so the total is wrong.",
        "Tick the box [ ] in line 4: it stands for nothing.",
        '{"findings": [{"note": "the sum is wrong"}]}',
        "There are no errors in line 1, but line 3 is wrong.",
        "No problems in the first part. The second adds up wrongly.",
        "I see no problems except for the sum in line 3.",
        "No errors are raised where the sum is wrong. " * 5,
        "Final answer: yes",
    ],
)
def test_a_finding_that_is_not_listed_is_no_clean_review(text):
    assert find(text) is None


def test_what_was_cut_off_does_not_count():
    assert find("- [high] line 3: the sum is wrong\n- [low] line 4: the na", finished=False) == [
        ONE
    ]
    whole = '{"findings": [{"severity": "high", "where": "line 3", "what": "the sum is wrong"}, '
    assert find(whole + '{"severity": "low", "where": "line 4", "wh', finished=False)[0] == ONE


def test_findings_in_the_same_words_are_one_and_a_very_long_one_is_cut():
    assert find("- line 3: wrong\n- line 3: wrong") == [Finding(what="wrong", where="line 3")]
    assert len(find("- " + "word " * 2_000)[0].what) == 1_000


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"findings": [], "answer": "false"}', "false"),
        ('{"findings": [], "answer": false}', "false"),
        ("- line 3: wrong\nFinal answer: no", "false"),
        ('{"findings": []}', None),
    ],
)
def test_a_question_that_has_an_answer_gets_one(text, answer):
    assert read("findings", text, MERGE).answer == answer


@pytest.mark.parametrize(
    "text",
    [
        (
            '{"votes": [{"finding": "F1", "vote": "agree", "reason": "I checked", '
            '"same_as": ["F3"]}, {"finding": "F2", "vote": "disagree"}]}'
        ),
        (
            '{"votes": [{"label": "[f1]", "position": "I agree.", "why": "I checked", "duplicate": '
            '"F3"}, {"id": "F2", "vote": false}, {"id": "F9", "vote": "agree"}]}'
        ),
        (
            '{"votes": {"F1": {"vote": "yes", "reason": "I checked", "same_as": ["F1", "F3"]}, '
            '"F2": "do not agree"}}'
        ),
    ],
)
def test_votes_are_read_by_label(text):
    assert read("finding-votes", text).reading == FindingVotes(
        votes={
            "F1": FindingVote(vote="agree", reason="I checked", same_as=("F3",)),
            "F2": FindingVote(vote="disagree"),
        }
    )


@pytest.mark.parametrize(
    "text",
    [
        "F1: agree, because I checked\n**F2**: Disagree - it is stated below\nF3: unsure",
        "- F1: agree, because I checked\n- F2: disagree: it is stated below\n- F3: unsure.",
    ],
)
def test_votes_are_read_from_lines(text):
    votes = read("finding-votes", text).reading.votes
    assert {label: each.vote for label, each in votes.items()} == {
        "F1": "agree",
        "F2": "disagree",
        "F3": "unsure",
    }
    assert votes["F1"].reason == "because I checked"
    assert votes["F2"].reason == "it is stated below"


def test_a_vote_on_what_did_not_stand_in_the_prompt_does_not_count():
    assert read("finding-votes", "F7: agree").reading is None
    assert isinstance(read("findings", "- x").reading, FindingList)
