"""The one table of a study, recounted from its transcripts, and in every form."""

from math import comb

import pytest
from msgspec.structs import replace

import moot
from moot.analyses.method_table import build_method_table
from moot.core.results import Mean
from moot.core.table_text import lay_out_table
from moot.core.worth import Estimate, MethodVerdict, Unread, Vote
from moot.reports.html import html_page
from moot.reports.latex import write_latex
from moot.reports.markdown import markdown_table
from support.recounts import RecordedStudy, commonest, right_share
from support.report_page import Page

MODEL = "simulated/people?accuracy=0.6"
PRICE = {"input": 2.0, "output": 10.0}
STUDY = {
    "name": "tabled",
    "equal_budget": True,
    "settings": {"model": MODEL},
    "prices": {MODEL: PRICE},
    "datasets": [
        {"name": "arithmetic", "difficulty": 2, "n": 120, "label": "two"},
        {"name": "arithmetic", "difficulty": 3, "n": 60, "label": "three"},
    ],
    "arms": [
        {"protocol": "single"},
        {"protocol": "society-of-minds"},
        {"protocol": "chateval"},
        {"protocol": "self-correction"},
    ],
}
DEBATES = "society-of-minds", "chateval"


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    return RecordedStudy(tmp_path_factory.mktemp("store"), STUDY)


@pytest.fixture(scope="module")
def results(held):
    """What the study came to; nothing is paid for again."""
    return moot.run_sync(STUDY, store=held.folder).results


def tokens(turn):
    return turn["prompt_tokens"] + turn["completion_tokens"]


def vote(budget, draws):
    """The majority of as many draws as the tokens buy."""
    answers, left = [], budget
    for turn in draws.turns:
        if answers and tokens(turn) > left:
            break
        answers.append(draws.value(turn))
        left -= tokens(turn)
    return commonest(answers)


def p_of(won, lost):
    n = won + lost
    return min(1.0, 2 * sum(comb(n, k) for k in range(min(won, lost) + 1)) / 2**n)


def holm(found):
    fixed, least = {}, 0.0
    for place, key in enumerate(sorted(found, key=found.get)):
        least = fixed[key] = max(least, min(1.0, (len(found) - place) * found[key]))
    return fixed


def recount_gaps(held):
    """The difference of each debate to its vote, and the corrected p, by dataset and arm."""
    gaps, p = {}, {}
    for dataset in ("two", "three"):
        for arm in DEBATES:
            marks = []
            for debate, draws in held.pairs(arm, "equal-budget", dataset):
                voted = vote(sum(map(tokens, debate.turns)), draws)
                marks.append(debate.is_right - (voted is not None and voted == draws.right))
            gaps[dataset, arm] = sum(marks) / len(marks)
            p[dataset, arm] = p_of(marks.count(1), marks.count(-1))
    return gaps, holm(p)


def test_every_figure_is_that_of_the_transcripts(held, results):
    table = build_method_table(results)
    gaps, p = recount_gaps(held)
    rows = {(row["band"], row["Method"]): row for row in table.records}
    assert set(rows) == {(each.dataset, each.arm) for each in held.debates}
    for (dataset, arm), row in rows.items():
        own = held.of(arm, dataset)
        right = right_share(own)
        assert row["Accuracy"] == pytest.approx(right)
        assert row["Accuracy low"] < right < row["Accuracy high"]
        assert row["Accuracy n"] == len(own)
        turns = [turn for debate in own for turn in debate.turns]
        assert row["Tokens"] == pytest.approx(sum(map(tokens, turns)) / len(own))
        paid = sum(2e-6 * t["prompt_tokens"] + 1e-5 * t["completion_tokens"] for t in turns)
        assert row["Cost"] == pytest.approx(paid / len(own))
        if arm in DEBATES:
            gap = gaps[dataset, arm]
            assert row["Against a vote"] == pytest.approx(gap)
            shown = p[dataset, arm] <= 0.05
            assert row["Worth it?"] == (
                "not shown" if not shown else "worse" if gap < 0 else "better"
            )
        else:
            assert row["Against a vote"] is None
            assert row["Worth it?"] == ""
    assert {row["Worth it?"] for row in rows.values()} >= {"worse"}


def test_each_row_is_a_line_of_80_columns(results):
    table = build_method_table(results)
    lines = [line.text for line in lay_out_table(table, 80)]
    assert max(map(len, lines)) <= 80
    heads = [place for place, line in enumerate(lines) if line.startswith("──")]
    assert len(heads) == 1  # no second block below
    methods = [row.cells[0] for row in table.rows]
    began = [line for line in lines[heads[0] :] if line.startswith(tuple(methods))]
    assert len(began) == len(methods)
    assert any("▼\u00a0worse" in line and " (−" in line for line in began)


def test_marks_have_words_in_every_form(results):
    table = build_method_table(results)
    report = moot.Report("Methods", "", [table])
    worse = [row for row in table.records if row["Worth it?"] == "worse"]
    assert "".join(markdown_table(table)).count("▼ worse") == len(worse)
    assert write_latex(report).count(r"$\downarrow$~worse") == len(worse)
    assert r"$\pm$" in write_latex(report)
    page = Page("".join(html_page([report])))
    assert page.texts.count("worse") == len(worse)


def verdict(arm, kind="open", **given):
    return MethodVerdict(
        dataset="two", method=arm, arm=arm, class_=kind, unread=Unread(),
        **{"questions": 60, "won": 9, "lost": 3, "tied": 48, "p": 0.1, "tokens": "equal",
           "opponent": "a vote", "difference": Estimate(estimate=0.1, low=-0.01, high=0.2)} | given,
    )  # fmt: skip


def test_what_a_study_lacks_is_said_once(results):
    two = [arm for arm in results.arms if arm.dataset == "two" and arm.arm in DEBATES]
    lacks = "add equal_budget = true to the study"
    none = {"p": None, "tokens": None, "opponent": "", "difference": Estimate(), "advice": lacks}
    found = replace(
        results, arms=tuple(two), verdicts=tuple(verdict(each, **none) for each in DEBATES)
    )
    table = build_method_table(replace(found, planned=None))
    assert [row["Worth it?"] for row in table.records] == ["not compared"] * 2
    assert table.note.count(lacks) == 1
    assert "settled" not in table.note
    fewer = [verdict(each, tokens="fewer", advice=lacks) for each in DEBATES]
    table = build_method_table(replace(found, verdicts=tuple(fewer), planned=None))
    assert [cells[2].text for cells in table.shown] == ["+10.0†"] * 2
    assert table.note.count("† a vote that took fewer tokens.") == 1
    assert lacks not in build_method_table(replace(found, planned=10**6)).note


def test_a_sequence_says_when_it_settled_and_at_which_level(results):
    two = [arm for arm in results.arms if arm.dataset == "two" and arm.arm in DEBATES]
    base = {"p": None, "vote": Vote(accuracy=0.5, samples=12.0, tokens=600.0)}
    own = Estimate(estimate=0.1, low=0.01, high=0.3, level=0.975)
    first = verdict(DEBATES[0], "better", difference=own, settled_at=120, **base)
    second = verdict(DEBATES[1], "equal", difference=own, margin=0.05, **base)
    asked = Mean(mean=0.5, low=0.4, high=0.6, n=60, questions=60)
    arms = (replace(two[0], accuracy=asked), two[1])
    table = build_method_table(replace(results, arms=arms, verdicts=(first, second), planned=None))
    assert [row["Questions"] for row in table.records] == [60, 120]
    assert "97.5 % interval; settled by an interval that is valid at every look" in table.note
    assert "equal: within 5 points" in table.note
    shown = table.shown[0]
    assert shown[3].text == "▲\u00a0better"
    assert shown[3].more == ("after 120 questions",)
    assert shown[2].more[0] == "vote 50.0 %"


def test_without_a_debate_there_is_no_column_of_comparisons(results):
    alone = replace(
        results, arms=tuple(arm for arm in results.arms if arm.arm == "single"), verdicts=()
    )
    names = [column.name for column in build_method_table(alone).columns]
    assert names == ["Method", "Accuracy %", "Tokens", "Cost"]
    unknown = tuple(replace(arm, accuracy=Mean()) for arm in results.arms)
    assert not build_method_table(replace(results, arms=unknown)).rows


def test_a_vote_of_all_samples_is_told_from_that_beside_a_debate(results, held):
    rows = {(row.band, row.cells[0]): row for row in build_method_table(results).rows}
    found = set()
    for dataset in ("two", "three"):
        whole = f"{100 * right_share(held.of('equal-budget', dataset)):.1f}"
        beside = set()
        for arm in DEBATES:
            right = [
                vote(sum(map(tokens, debate.turns)), draws) == draws.right
                for debate, draws in held.pairs(arm, "equal-budget", dataset)
            ]
            beside.add(f"{100 * sum(right) / len(right):.1f}")
        cell = "a vote" if beside == {whole} else "vote, all samples"
        assert rows[dataset, "equal-budget"].cells[2] == cell
        found.add(cell)
    assert "vote, all samples" in found
