"""What is said of choices: planted preferences are found, and none where there is none."""

from pathlib import Path
from random import Random

import pytest

from moot.contrib.judging.choices import Match, PairChoice, PairKey
from moot.contrib.judging.pairs import Effect, Pair, RunPairs
from moot.contrib.judging.preferences import describe_beside, describe_effect, describe_judging
from moot.core.results import Mean
from moot.core.stored import RunRow

PAGE = (Path(__file__).parents[3] / "docs" / "judge.md").read_text()
EFFECT = Effect(
    questions=60,
    alike=0,
    changed=Mean(),
    tokens={"solo": 100, "council": 410},
    cost=None,
    words=None,
    answer_words={"solo": 50, "council": 80},
)


def pairs(n, *, longer="council"):
    texts = {"council": "a long answer", "solo": "short"}
    if longer == "solo":
        texts = {"council": "short", "solo": "a long answer"}
    row = RunRow(id=1, key="run-1", name="run", created=0, status="done", study=b"")
    made = tuple(
        Pair(PairKey("d", f"q{k}", 0), f"q{k}", texts["solo"], texts["council"]) for k in range(n)
    )
    match = Match("first reply", "debate")
    return RunPairs(row, match, "council", made, 0, 0, EFFECT, simulated=False)


def choices(of, draw, *, first=lambda _: "council"):
    return [PairChoice(pair.key, first(k), draw(k), float(k)) for k, pair in enumerate(of.pairs)]


def rate(random, council, solo):
    """A rater who prefers the council's answer at one rate and the single reply at another."""

    def draw(_):
        at = random.random()
        return "council" if at < council else "solo" if at < council + solo else "same"

    return draw


def test_no_preference_is_claimed_in_95_percent_though_one_looks_after_every_answer():
    random, of, claimed, covered = Random(1), pairs(60), 0, 0
    for _ in range(400):
        [found] = describe_judging(of, {"me": choices(of, rate(random, 0.4, 0.4))}).raters
        claimed += found.settled_at is not None
        covered += found.difference.low <= 0 <= found.difference.high
    assert claimed <= 0.05 * 400
    assert covered >= 0.95 * 400


def test_raters_without_a_preference_are_seldom_said_to_have_one_together():
    random, of, claimed = Random(2), pairs(40), 0
    for _ in range(200):
        entered = {name: choices(of, rate(random, 0.5, 0.5)) for name in ("Ann", "Bo", "Cy")}
        found = describe_judging(of, entered)
        claimed += any(each.settled_at for each in (*found.raters, found.together))
    assert claimed <= 0.05 * 200


@pytest.mark.parametrize(("council", "solo", "word"), [(0.8, 0.1, "better"), (0.1, 0.8, "worse")])
def test_a_planted_preference_is_found(council, solo, word):
    random, of, found, at, covered = Random(3), pairs(60), 0, [], 0
    for _ in range(200):
        [each] = describe_judging(of, {"me": choices(of, rate(random, council, solo))}).raters
        found += each.class_ == word
        at.append(each.settled_at or 60)
        covered += each.difference.low <= council - solo <= each.difference.high
    assert found >= 0.95 * 200
    assert sorted(at)[100] <= 30
    assert covered >= 0.95 * 200


def test_both_alike_are_found_equal_within_the_margin():
    random, of = Random(4), pairs(400)
    drawn = choices(of, rate(random, 0.25, 0.25))
    [found] = describe_judging(of, {"me": drawn}, margin=0.2).raters
    assert found.class_ == "equal"
    assert "you find both equally good, within 20 points" in found.sentence


def test_length_and_order_are_said_beside():
    of = pairs(80, longer="solo")
    always_longer = choices(of, lambda _: "solo")
    [found] = describe_judging(of, {"me": always_longer}).raters
    assert (found.longer.estimate, found.longer.answers) == (1.0, 80)
    assert found.longer.low > 0.5
    random = Random(5)
    sides = [random.choice(("council", "solo")) for _ in range(80)]
    always_first = choices(of, lambda k: sides[k], first=lambda k: sides[k])
    [found] = describe_judging(of, {"me": always_first}).raters
    assert (found.first.estimate, found.class_) == (1.0, "open")
    assert found.first.low > 0.5
    longer, first = describe_beside(found)
    assert first.startswith("The one shown first was chosen in 100.0 % of 80 choices (95 % ")
    assert longer.startswith("The longer answer was chosen in ")


def test_what_counts_is_the_last_choice_and_skipped_pairs_are_left_out():
    of = pairs(4)
    [a, b, c, d] = [pair.key for pair in of.pairs]
    entered = [
        PairChoice(a, "council", "council"),
        PairChoice(b, "council", "solo"),
        PairChoice(b, "council", "undo"),
        PairChoice(b, "solo", "same"),
        PairChoice(c, "solo", "skip"),
        PairChoice(d, "solo", "solo"),
        PairChoice(d, "solo", "undo"),
        PairChoice(PairKey("d", "gone", 0), "solo", "solo"),
    ]
    found = describe_judging(of, {"me": entered})
    [own] = found.raters
    assert (own.won, own.lost, own.tied, own.skipped, own.questions) == (1, 0, 1, 1, 2)
    assert own.difference.estimate == 0.5
    assert found.sentence == own.sentence
    assert own.sentence.startswith(
        "After 2 answers: it is still open which answers you prefer. Choices: 1 for the council, "
        "0 for the single reply, 1 the same, 1 skipped. Difference +50.0 points, 95 % interval "
    )


def test_together_counts_a_question_once_that_all_have_seen():
    of = pairs(30)
    ann = choices(of, lambda _: "council")
    bo = choices(of, lambda k: "council" if k % 2 else "same")[:20]
    found = describe_judging(of, {"Ann": ann, "Bo": bo, "Cy": []})
    assert [each.rater for each in found.raters] == ["Ann", "Bo"]
    assert found.family == 3
    assert {each.difference.level for each in found.raters} == {1 - 0.05 / 3}
    both = found.together
    assert (both.questions, both.won) == (20, 20)
    assert both.difference.estimate == pytest.approx((10 * 1 + 10 * 0.5) / 20)
    assert found.sentence.startswith("After 20 answers: the 2 raters together prefer the council's")
    assert "Ann prefers the council's answers to the single replies" in found.raters[0].sentence


def test_nobody_has_judged_yet():
    found = describe_judging(pairs(3), {"me": []})
    assert (found.sentence, found.raters, found.together) == (
        "Nobody has judged a pair yet.",
        (),
        None,
    )
    assert describe_effect(EFFECT, "the council") == [
        "Price: 4.1 times the tokens of a single reply (410 against 100 a question).",
        "Answers have 80 words on average, single replies 50.",
    ]


@pytest.mark.parametrize("share", [1.0, 0.9, 0.8, 0.7])
def test_the_page_says_how_many_answers_it_takes(share):
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| {100 * share:.0f} %"))
    random, of, at = Random(6), pairs(200), []
    for _ in range(100):
        drawn = choices(of, rate(random, share, 1 - share))
        [found] = describe_judging(of, {"me": drawn}).raters
        at.append(found.settled_at or 200)
    assert sorted(at)[50] == pytest.approx(int(row.split("|")[2]), rel=0.25)
