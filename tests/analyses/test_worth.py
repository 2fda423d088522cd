"""The sentence of a study, and the same recounted from its transcripts."""

import asyncio
from html import unescape
from math import comb

import msgspec
import pytest
from msgspec.structs import replace

import moot
from moot.analyses.arm_accuracy import report_accuracy
from moot.analyses.method_table import build_method_table, fold_datasets
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.run_reports import FINDINGS, report_in_terminal
from moot.analyses.summary import summarise_results
from moot.analyses.worth import describe_worth
from moot.core.results import Results
from moot.core.worth import Estimate, MethodVerdict, Unread
from moot.reports.markdown import escape_markdown, write_markdown
from moot.reports.notebook import render_html
from moot.studies.lab import open_lab
from support.recounts import RecordedStudy, commonest


def verdict(arm, kind, estimate=0.0, *, dataset="sums", tokens="equal", advice="", **fields):
    given = {"questions": 200, "won": 0, "lost": 0, "tied": 200, "smallest": 0.098, "p": 0.5}
    return MethodVerdict(
        dataset=dataset,
        method=arm,
        arm=arm,
        class_=kind,
        unread=Unread(),
        difference=Estimate(estimate=estimate),
        tokens=tokens,
        opponent="a vote",
        advice=advice,
        **given | fields,
    )


def said(*verdicts):
    found = Results(
        run="r", name="r", simulated=False, baseline=None, arms=(), verdicts=tuple(verdicts)
    )
    return list(describe_worth(found))


def test_all_debates_lose():
    four = [verdict(f"d{k}", "worse", -0.08 - k / 37.5) for k in range(4)]
    assert said(*four) == ["No: at equal tokens a vote beats all 4 debates, by 8 to 16 points."]
    cheap = [replace(each, tokens="fewer") for each in four]
    [sentence] = said(*cheap)
    assert sentence == "No: even with fewer tokens a vote beats all 4 debates, by 8 to 16 points."
    [sentence] = said(*four[:2], *cheap[2:])
    assert sentence.startswith("No: at equal tokens or fewer a vote beats all 4 debates")


def test_one_debate():
    [sentence] = said(verdict("society", "worse", -0.115))
    assert sentence == "No: at equal tokens a vote beats society, by 11.5 points."
    [sentence] = said(verdict("society", "better", 0.07))
    assert sentence == "Yes: at equal tokens society beats a vote, by 7 points."
    [sentence] = said(verdict("society", "equal", 0.01, margin=0.05))
    assert sentence == "Equal: at equal tokens society is within 5 points of a vote."
    [sentence] = said(verdict("society", "open", advice="n = 760 shows 5 points"))
    assert sentence == (
        "Open: at equal tokens society is not shown to differ from a vote, as 200 questions can "
        "only show 9.8 points or more; n = 760 shows 5 points."
    )
    [sentence] = said(verdict("society", "open", questions=5, smallest=None))
    assert sentence.endswith("as 5 questions can show nothing.")


def test_answers_that_were_not_read_are_said_on_both_sides():
    lost = Unread(method=0.12, vote=0.6)
    [sentence] = said(replace(verdict("society", "better", 0.3), unread=lost))
    assert sentence == (
        "Yes: at equal tokens society beats a vote, by 30 points; society gave no readable answer "
        "in 12\u00a0%; a vote beside society gave no readable answer in 60\u00a0%."
    )


def test_a_part_of_an_unfinished_study_is_open():
    found = Results(
        run="r", name="r", simulated=False, baseline=None, arms=(), unfinished=True,
        verdicts=(verdict("society", "open", -0.3, p=1e-9),),
    )  # fmt: skip
    assert list(describe_worth(found)) == [
        "Open: not all debates are in; run the study to its end."
    ]


def test_where_no_vote_had_as_many_tokens_it_ends_in_what_to_type():
    lacks = "add equal_budget = true to the study"
    [sentence] = said(verdict("society", "open", 0.2, tokens="fewer", advice=lacks))
    assert sentence == (f"Open: society is not compared with a vote at equal tokens; {lacks}.")
    [sentence] = said(verdict("society", "worse", -0.2, tokens="fewer", advice=lacks))
    assert sentence == (f"No: even with fewer tokens a vote beats society, by 20 points; {lacks}.")


def test_the_arm_that_is_named_is_the_one_that_the_figure_is_of():
    [sentence] = said(
        verdict("a", "open", 0.2),
        verdict("b", "better", 0.07),
        verdict("c", "worse", -0.09),
        verdict("d", "worse", -0.08),
    )
    assert sentence == (
        "Yes for 1 of 4 debates: at equal tokens b beats a vote, by 7 points; at equal tokens a "
        "vote beats c and d, by 8 to 9 points; a is open."
    )


def test_datasets_that_differ_have_a_sentence_each():
    one, two = verdict("a", "worse", -0.1), verdict("a", "better", 0.1, dataset="other")
    assert said(one, two) == [
        "It depends: yes on other, no on sums.",
        "sums: no, at equal tokens a vote beats a, by 10 points.",
        "other: yes, at equal tokens a beats a vote, by 10 points.",
    ]
    [sentence] = said(one, replace(one, dataset="other"))
    assert sentence == "No: at equal tokens a vote beats a on both datasets, by 10 points."
    lacks = "add equal_budget = true to the study"
    first, *_ = said(one, verdict("a", "open", dataset="other", tokens="fewer", advice=lacks))
    assert first == f"It depends: no on sums, open on other; {lacks}."
    many = [verdict("a", "open", dataset=f"d{k}") for k in range(6)]
    assert said(one, *many)[0] == "It depends: no on 1, open on 6 of 7 datasets."


def test_without_a_debate():
    assert said() == ["There is no debate here to set beside a vote."]


SURE, MISLED = "simulated/people?accuracy=0.6", "simulated/people?accuracy=0.7&truth_drift=-0.9"
STUDY = {
    "name": "recounted",
    "equal_budget": True,
    "datasets": [
        {"name": "arithmetic", "difficulty": 2, "n": 60, "label": "two"},
        {"name": "arithmetic", "difficulty": 3, "n": 40, "label": "three"},
    ],
    "arms": [
        {"protocol": protocol, "model": model, "name": f"{protocol} {number}"}
        for number, model in enumerate((SURE, MISLED))
        for protocol in ("single", "society-of-minds", "chateval", "self-correction")
    ],
}
DEBATES = "society-of-minds", "chateval"


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    return RecordedStudy(tmp_path_factory.mktemp("store"), STUDY)


@pytest.fixture(scope="module")
def ran(held):
    """What the study came to: it is run again, and nothing of it is paid for."""
    return held.folder, moot.run_sync(STUDY, store=held.folder)


def count_tokens(turns):
    return sum(turn["prompt_tokens"] + turn["completion_tokens"] for turn in turns)


def vote_at(budget, debate):
    """The majority of the first draws that so many tokens buy, and whether more could be bought."""
    answers, spent = [], 0
    for turn in debate.turns:
        if answers and spent + count_tokens([turn]) > budget:
            break
        answers.append(debate.value(turn))
        spent += count_tokens([turn])
    short = len(answers) == len(debate.turns) and budget - spent >= spent / len(answers)
    return commonest(answers), spent, short


def exact(won, lost):
    n = won + lost
    return min(1.0, 2 * sum(comb(n, k) for k in range(min(won, lost) + 1)) / 2**n)


def recount(debates):
    """The fields of a verdict that need no other debate, of pairs of debates and draws."""
    counts, unread, short, spent, taken = [], [0, 0], 0, 0, 0
    for debate, draws in debates:
        budget = count_tokens(debate.turns)
        voted, cost, lacks = vote_at(budget, draws)
        counts.append(debate.is_right - (voted is not None and voted == draws.right))
        unread[0] += debate.said is None
        unread[1] += voted is None
        short, spent, taken = short + lacks, spent + cost, taken + budget
    n = len(counts)
    assert spent <= taken
    return {
        "questions": n,
        "won": counts.count(1),
        "lost": counts.count(-1),
        "tied": counts.count(0),
        "unread": {"method": unread[0] / n, "vote": unread[1] / n},
        "tokens": "fewer" if short else "equal",
    }


def correct(values):
    """Holm's correction, as its paper writes it."""
    fixed, least = {}, 0.0
    for place, (key, p) in enumerate(sorted(values.items(), key=lambda each: each[1])):
        least = fixed[key] = max(least, min(1.0, (len(values) - place) * p))
    return fixed


def test_every_field_is_that_of_the_transcripts(held, ran):
    pools = {"0": "equal-budget", "1": "equal-budget 2"}
    names = {(each.dataset, each.arm) for each in held.debates if each.arm.startswith(DEBATES)}
    own = {
        (dataset, arm): recount(held.pairs(arm, pools[arm[-1]], dataset)) for dataset, arm in names
    }
    fixed = correct({key: exact(each["won"], each["lost"]) for key, each in own.items()})
    found = msgspec.to_builtins(ran[1].results.verdicts)
    assert {(each["dataset"], each["arm"]) for each in found} == names
    for each in found:
        key = each["dataset"], each["arm"]
        assert each["method"] == each["arm"][:-2]
        assert each["against"] == pools[each["arm"][-1]]
        assert {name: each[name] for name in own[key]} == own[key]
        gap = (own[key]["won"] - own[key]["lost"]) / own[key]["questions"]
        assert each["difference"]["estimate"] == pytest.approx(gap)
        assert each["difference"]["low"] <= gap <= each["difference"]["high"]
        assert each["difference"]["level"] == 0.95
        assert each["p"] == pytest.approx(fixed[key])
        shown, fair = fixed[key] <= 0.05, own[key]["tokens"] == "equal"
        assert each["class"] == (
            "worse" if shown and gap < 0 else "better" if shown and fair else "open"
        )


def test_the_same_text_everywhere(ran):
    store, outcome = ran
    findings = list(summarise_results(outcome.results))
    report = report_accuracy(outcome.results)
    assert list(report.findings) == findings
    told = report.to_dict()
    assert told["findings"] == findings
    assert told["verdicts"] == msgspec.to_builtins(outcome.results.verdicts)
    assert findings[0] in unescape(render_html(outcome))
    assert escape_markdown(findings[0]) in write_markdown(report)
    assert findings[0] in str(report).replace("\n  ", " ")

    async def read():
        async with open_lab(store, readonly=True) as lab:
            runs = RecordedRuns(lab, [outcome.run])
            return report_in_terminal(runs, runs.joined)

    [briefly, *_] = asyncio.run(read())
    assert list(briefly.findings[:FINDINGS]) == findings[:FINDINGS]


MODELS = "simulated/people?accuracy=0.6", "simulated/people?accuracy=0.4"
SEVERAL = {
    "name": "several",
    "equal_budget": True,
    "datasets": [{"name": "arithmetic", "difficulty": 2, "n": 20}],
    "arms": [
        {"protocol": name, "model": list(MODELS)}
        for name in ("single", "self-consistency", "society-of-minds")
    ],
}


def test_where_debates_differ_by_their_models_each_model_is_named_once(tmp_path):
    results = moot.run_sync(SEVERAL, store=tmp_path).results
    worth, *best = summarise_results(results)
    debates = [each for each in results.verdicts if each.method == "society-of-minds"]
    assert len(debates) == 2
    assert "society-of-minds with both models is not shown" in worth
    for model, sentence in zip(MODELS, best, strict=True):
        own = {arm.label: arm.accuracy.mean for arm in results.arms if arm.models == (model,)}
        highest = max(own.values())
        assert sentence.startswith(f"{model}: ")
        assert f"on {100 * highest:.1f}\u00a0% of 20 questions" in sentence
    for name, table in ("all", build_method_table(results)), ("short", fold_datasets(results)):
        rows = {
            row.cells[0] if isinstance(row.cells[0], str) else row.cells[0].value
            for row in table.rows
        }
        assert {f"equal-budget {MODELS[0]}", f"equal-budget 2 {MODELS[1]}"} <= rows, name


def test_a_chart_says_how_many_questions_each_of_its_bars_is_over(tmp_path):
    """Methods that ended early have fewer questions than the others."""
    study = {
        "name": "early",
        "settings": {"model": MODELS[0]},
        "datasets": [{"name": "arithmetic", "difficulty": 2, "n": 120}],
        "arms": [{"protocol": name} for name in ("society-of-minds", "council", "single")],
        "stop": {"margin": 0.2},
    }
    results = moot.run_sync(study, store=tmp_path).results
    asked = {arm.accuracy.questions for arm in results.arms}
    assert len(asked) > 1, "all methods ended at once: choose another seed"
    [chart] = report_accuracy(results).charts
    assert f"over {min(asked)} to {max(asked)} questions." in chart.caption
    assert "hollow" not in chart.caption
    heads = [column.name for column in build_method_table(results).columns]
    assert heads[-1] == "Questions"
