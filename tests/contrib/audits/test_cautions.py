"""Each caution is given where it is planted, with its number, and nowhere else."""

import json

import msgspec
import pytest

from contrib.audits.conftest import box, debate, sound
from moot.contrib.imports.debate_log import LoggedAgent, LoggedTurn

LONG = (
    "How many eggs are there in a basket of number {}, if a dozen of them lie in each of its rows?"
)


def named(found):
    return {each["name"]: each for each in found["warnings"]}


def vary(number, right="5"):
    """A debate whose rounds differ in their words and that nothing is to be said of."""
    return debate(number, right, box(5, 5, 7), [f"Again: {each}" for each in box(5, 5, 5)])


def test_there_is_no_caution_where_nothing_is_wrong(audit):
    assert audit([vary(number) for number in range(10)])["warnings"] == []


def test_all_agree_against_the_right_answer(audit):
    odd = [debate(n, "6", box(5, 5, 5), [f"Yes. {e}" for e in box(5, 5, 5)]) for n in (20, 21)]
    found = named(audit([*map(vary, range(8)), *odd]))
    one = found["all agree against the right answer"]
    assert (one["number"], one["of"], set(one["examples"])) == (2, 10, {"q20", "q21"})


def test_duplicate_questions(audit):
    again = msgspec.structs.replace(vary(3), id="q30")
    found = named(audit([*map(vary, range(8)), again]))
    assert (found["duplicate questions"]["number"], found["duplicate questions"]["of"]) == (1, 9)


def test_rounds_that_repeat_word_for_word(audit):
    found = named(audit([*map(vary, range(6)), *map(sound, range(10, 14))]))
    one = found["rounds repeat word for word"]
    assert (one["number"], one["of"]) == (12, 30)


def test_prompts_read_as_replies_and_saved_as_such(audit):
    asked = [LONG.format(number) for number in range(8)]
    plain = [debate(n, "5", box(5, 5, 5), box(5, 5, 5), text=asked[n]) for n in range(4)]
    read, saved = "prompts read as replies", "prompts saved as replies"
    for mark, names in ((" Of these only the last counts: 5.", {read}), ("", {read, saved})):
        echo = [
            debate(n, "5", box(5, 5, 5), [f"USER: {asked[n]}{mark}"] * 3, text=asked[n])
            for n in range(4, 8)
        ]
        found = named(audit([*plain, *echo]))
        assert {read, saved} & set(found) == names
        for name in names:
            assert (found[name]["number"], found[name]["of"]) == (12, 48)
    assert "12 of round 2" in found[saved]["words"]


def test_too_few_questions_for_the_claim(audit, tmp_path):
    claim = tmp_path / "claim.json"
    claim.write_text(json.dumps([{"values": [0.50, 0.55]}]))
    found = named(audit(list(map(vary, range(20))), "--claim", str(claim)))
    one = found["too few questions for the claim"]
    assert (round(one["number"], 2), one["of"]) == (0.05, 20)
    claim.write_text(json.dumps([{"values": [0.1, 0.9]}]))
    assert "too few questions" not in named(
        audit(list(map(vary, range(20))), "--claim", str(claim))
    )


@pytest.mark.parametrize("blind", [True, False])
def test_a_judge_that_names_the_models_is_not_blind(blind, audit):
    def judged(number):
        made = debate(number, "5", box(5, 7), models=("alpha-7b", "beta-9b"))
        speaker = "the first" if blind else "Alpha-7B"
        judge = LoggedTurn(agent="judge", text=f"I side with {speaker}: 5.", votes=False)
        return msgspec.structs.replace(
            made,
            agents=(*made.agents, LoggedAgent(name="judge", role="judge", answers=False)),
            turns=(*made.turns, judge),
            method="judged",
        )

    found = named(audit([judged(number) for number in range(6)]))
    assert ("judge not blind" in found) is not blind
    if not blind:
        assert (found["judge not blind"]["number"], found["judge not blind"]["of"]) == (6, 6)


def test_open_answers(audit):
    texts = [
        debate(n, f"words {n}", ["words", "more"], kind="text", text=f"Say {n}") for n in range(4)
    ]
    assert named(audit(texts))["open answers"]["number"] == 4


def test_right_answers_that_a_rule_reads_otherwise(audit):
    odd = debate(9, "#### 1,450", box(1450, 1450, 1450), box(1450, 1450, 1451))
    found = named(audit([*map(vary, range(8)), odd], "--rule", "society-gsm8k"))
    one = found["right answers odd"]
    assert (one["number"], one["of"], one["examples"]) == (1, 9, ["q9"])
