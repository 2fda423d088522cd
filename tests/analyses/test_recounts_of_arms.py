"""What analyses of arms say first, counted again from transcripts (see ``support.recounts``)."""

import re
from collections import Counter, defaultdict
from statistics import median

import pytest

from support.recounts import RecordedStudy, commonest, right_share, rows_of, share

SUMS = {"name": "arithmetic", "n": 12, "difficulty": 2}
STUDY = {
    "name": "curves",
    "settings": {"model": "simulated/people?accuracy=0.6&unparseable=0.1"},
    "datasets": [SUMS, SUMS | {"label": "hard", "difficulty": 4}],
    "baseline": "single",
    "replicates": 2,
    "arms": [
        {"name": "single", "protocol": "single"},
        {"protocol": "self-consistency", "samples": [1, 3, 5]},
        {"protocol": "society-of-minds", "agents": 3, "rounds": [1, 2, 3]},
        {"protocol": "single", "style": "simple", "temperature": [0.2, 0.7, 1.2]},
        {"protocol": "multi-persona", "agreement": [0, 50, 90]},
    ],
}
DATASETS = ("arithmetic", "hard")


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    return RecordedStudy(tmp_path_factory.mktemp("curves"), STUDY)


def per_debate(debates, count):
    return sum(map(count, debates)) / len(debates)


def tokens(debate):
    return sum(each["prompt_tokens"] + each["completion_tokens"] for each in debate.turns)


def find_arms(held, dataset):
    """The arms on a dataset, each with its debates."""
    return {arm: held.of(arm, dataset) for arm in dict.fromkeys(d.arm for d in held.debates)}


def test_accuracy(held):
    report = held.analyse("accuracy")
    tables = {table.title: table for table in report.tables}
    for row in rows_of(tables["Methods"]):
        own = held.of(row["Method"], row["band"])
        assert row["Accuracy %"].mean == pytest.approx(right_share(own))
        assert row["Tokens"] == pytest.approx(per_debate(own, tokens))
    for dataset in DATASETS:
        arms = find_arms(held, dataset)
        best = max(arms, key=lambda arm: right_share(arms[arm]))
        told = f"{dataset}: {best} is right most often: on {100 * right_share(arms[best]):.1f} %"
        findings = [each.replace("\N{NO-BREAK SPACE}", " ") for each in report.findings]
        assert any(each.startswith(told) for each in findings)
        table = tables[f"{dataset} (simulated)"]
        for row in rows_of(table):
            own = arms[row["Arm"]]
            assert row["Accuracy %"].mean == pytest.approx(right_share(own))
            assert row["Debates"] == len(own)
            assert row["Unparsed"] == sum(not d.failed and d.said is None for d in own)
            assert row["Calls"].value == per_debate(own, lambda d: len(d.turns))
            told = row["Calls"].more
            assert told[0] == f"{sum(len(d.turns) for d in own)} in all"
            assert not any(each.startswith("0 ") for each in told)
            assert row["Tokens"].value == pytest.approx(per_debate(own, tokens))
            if row["Difference"] != "baseline":
                gap = right_share(own) - right_share(arms["single"])
                assert row["Difference"].mean == pytest.approx(gap)


def test_best_by_protocol_and_configurations(held):
    [table] = held.analyse("best-by-protocol").tables
    kinds = {arm: held.of(arm)[0].settings for arm in find_arms(held, "hard")}
    protocol = {arm: arm.split()[0] for arm in kinds}
    for row in rows_of(table):
        for dataset in DATASETS:
            own = [
                right_share(debates)
                for arm, debates in find_arms(held, dataset).items()
                if protocol[arm] == row["protocol"]
            ]
            assert row["arms"] == len(own)
            assert row[f"{dataset}: best %"].value.mean == pytest.approx(max(own))
            middle = row[f"{dataset}: median %"]
            assert middle.mean == pytest.approx(median(own))
            assert middle.low <= middle.mean <= middle.high
    table = held.analyse("configurations").tables[0]
    for dataset in DATASETS:
        shown = sorted(row[f"{dataset}: accuracy %"].value.mean for row in rows_of(table))
        counted = sorted(map(right_share, find_arms(held, dataset).values()))
        assert shown == pytest.approx(counted)
        spent = sorted(row[f"{dataset}: total tokens"].mean for row in rows_of(table))
        paid = sorted(sum(map(tokens, own)) for own in find_arms(held, dataset).values())
        assert spent == pytest.approx(paid)


def test_improvement(held):
    for dataset, table in zip(DATASETS, held.analyse("improvement").tables, strict=True):
        arms = find_arms(held, dataset)
        base = right_share(arms.pop("single"))
        shown = {row["arm"]: row for row in rows_of(table)}
        gaps = sorted(right_share(own) - base for own in arms.values())
        assert sorted(row["difference"] for row in shown.values()) == pytest.approx(gaps)
        relative = sorted(row["relative %"] for row in shown.values())
        assert relative == pytest.approx([gap / base for gap in gaps])


def test_the_curves(held):
    for name, arms, setting in (
        ("scaling", "self-consistency", "samples"),
        ("scaling", "society-of-minds", "rounds"),
        ("temperature", "single temperature=", "temperature"),
        ("agreement", "multi-persona", "agreement"),
    ):
        charts = held.analyse(name).charts
        [chart] = [each for each in charts if each.title.endswith(arms.split()[0])]
        steps = defaultdict(list)
        for each in held.debates:
            if each.arm.startswith(arms) and each.settings.get(setting) is not None:
                steps[each.dataset, each.settings[setting]].append(each)
        assert len(chart.rows) == len(steps) == 6
        for row in chart.rows:
            own = steps[row["dataset"], row["value"]]
            assert row["accuracy"] == pytest.approx(right_share(own))
            assert row["n"] == len(own)
            if name == "scaling":
                assert row["calls"] == per_debate(own, lambda d: len(d.turns))
                assert row["tokens"] == pytest.approx(per_debate(own, tokens))
            if name == "agreement":
                first = [[course[0] for course in d.courses] for d in own]
                both = [pair for pair in first if len(pair) == 2 and None not in pair]
                agree = sum(one == other for one, other in both) / len(both)
                assert row["first-agreement"] == pytest.approx(agree)


def test_tradeoff_and_costs(held):
    for dataset, table in zip(DATASETS, held.analyse("tradeoff").tables, strict=True):
        shown = sorted((r["accuracy %"].mean, r["tokens"], r["calls"]) for r in rows_of(table))
        counted = sorted(
            (right_share(own), per_debate(own, tokens), per_debate(own, lambda d: len(d.turns)))
            for own in find_arms(held, dataset).values()
        )
        for one, other in zip(shown, counted, strict=True):
            assert one == pytest.approx(other)
    by_protocol = defaultdict(list)
    for at in DATASETS:
        for arm, own in find_arms(held, at).items():
            by_protocol[at, arm.split()[0]].append((per_debate(own, tokens), len(own)))
    for row in rows_of(held.analyse("costs").tables[0]):
        own = by_protocol[row["dataset"], row["protocol"]]
        assert row["arms"] == len(own)
        assert row["debates"] == sum(many for _, many in own)
        assert row["tokens"] == pytest.approx(sum(mean for mean, _ in own) / len(own))


def test_rounds(held):
    tables = held.analyse("rounds").tables
    rounds, flips = tables[0], tables[1]
    own = held.of("society-of-minds rounds=3", "arithmetic")
    shown = [row for row in rows_of(rounds) if row["arm"].startswith("society")]
    assert [row["round"] for row in shown] == [1, 2, 3]
    for row in shown:
        at = row["round"] - 1
        right = share(
            (d.question, sum(course[at] == d.right for course in d.courses) / len(d.courses))
            for d in own
        )
        assert row["debaters right %"].mean == pytest.approx(right)
    words = {
        (True, True): "stayed right",
        (False, False): "stayed wrong",
        (False, True): "wrong to right",
        (True, False): "right to wrong",
    }
    counted = Counter()
    for arm, last in (("rounds=2", 2), ("rounds=3", 3)):
        for d in held.of(f"society-of-minds {arm}", "arithmetic"):
            for course in d.courses:
                for at in range(1, last):
                    change = words[course[at - 1] == d.right, course[at] == d.right]
                    counted[f"society-of-minds {arm}", f"round {at + 1}", change] += 1
    shown = {
        (row["arm"], row["round"], row["change"]): row["debaters"]
        for row in rows_of(flips)
        if row["arm"].startswith("society") and row["debaters"]
    }
    assert shown == dict(counted)


def test_fidelity(held):
    report = held.analyse("fidelity")
    table = next(each for each in report.tables if each.title == "Cost of a debate")
    arms = find_arms(held, "arithmetic")
    for row in rows_of(table):
        own = [held.of(arm, row["dataset"]) for arm in arms if arm.split()[0] == row["protocol"]]
        every = [d for debates in own for d in debates]
        assert row["debates"] == len(every)
        assert row["calls"] == pytest.approx(per_debate(every, lambda d: len(d.turns)))
    rises = next(t for t in report.tables if t.title == "Saturation of society-of-minds by rounds")
    for row in rows_of(rises):
        by_size = [
            right_share(held.of(f"society-of-minds rounds={k}", row["dataset"])) for k in (1, 2, 3)
        ]
        assert row["rise"].mean == pytest.approx(by_size[2] - by_size[0])


def test_compare(held):
    arms = "single", "society-of-minds rounds=3"
    report = held.analyse("compare", pair=["=".join(arms)])
    pairs = held.pairs(*arms, "arithmetic")
    gap = share((one.question, other.is_right - one.is_right) for one, other in pairs)
    told = f"{arms[1]} minus {arms[0]}, on arithmetic: {100 * gap:+.1f} points"
    assert any(each.startswith(told) for each in report.findings)
    for row, arm in zip(rows_of(report.tables[0]), arms, strict=True):
        own = held.of(arm, "arithmetic")
        assert row["accuracy %"].mean == pytest.approx(right_share(own))
        assert (row["debates"].value, row["calls"]) == (len(own), len(own[0].turns))


def test_debate_metrics(held):
    tables = [t for t in held.analyse("debate-metrics").tables if t.title.startswith("arithmetic")]
    shown = {row["arm"]: row for row in rows_of(tables[0])}
    for arm in ("multi-persona agreement=50", "society-of-minds rounds=3"):
        own = held.of(arm, "arithmetic")
        most = [
            (
                d.question,
                max(Counter(v for v in last if v is not None).values(), default=0) / len(last),
            )
            for d in own
            for last in [[course[-1] for course in d.courses]]
        ]
        assert shown[arm]["consensus"].mean == pytest.approx(share(most))
        ever = [(d.question, any(d.value(turn) == d.right for turn in d.turns)) for d in own]
        assert shown[arm]["any correct"].mean == pytest.approx(share(ever))


def plain(cell):
    """The value of a cell, with or without a mark."""
    return getattr(cell, "value", cell)


def test_ceiling(held):
    report = held.analyse("ceiling")
    for row in rows_of(report.tables[0]):
        own = held.of(row["arm"], "arithmetic")
        firsts = {id(d): [course[0] == d.right for course in d.courses] for d in own}
        wrong = [d for d in own if not any(firsts[id(d)])]
        some = [d for d in own if any(firsts[id(d)])]
        assert row["all wrong %"].mean == pytest.approx(
            share((d.question, d in wrong) for d in own)
        )
        seats = range(min(map(len, firsts.values())))
        best = max(share((d.question, firsts[id(d)][k]) for d in own) for k in seats)
        assert row["best\nseat %"] == pytest.approx(best)
        if wrong:
            assert plain(row["escape %"]).mean == per_debate(wrong, lambda d: d.is_right)
        lost = per_debate(some, lambda d: not d.is_right)
        assert plain(row["lost %"]).mean == pytest.approx(lost)
    gain = max(row["most\ngain"] for row in rows_of(report.tables[0]))
    assert re.search(r"at most ([\d.]+) points", report.findings[0])[1] == f"{100 * gain:.1f}"


def test_decisions(held):
    table = held.analyse("decisions").tables[0]
    for row in rows_of(table):
        if row["rule"] != "plurality":
            continue
        own = held.of(row["band"], "arithmetic")
        votes = [(d, commonest(course[-1] for course in d.courses)) for d in own]
        right = share((d.question, said is not None and said == d.right) for d, said in votes)
        assert row["accuracy %"].mean == pytest.approx(right)
        assert row["debates"] == len(own)
        if not row["band"].startswith("multi-persona"):
            assert all(said == d.said for d, said in votes), "the study decides by it"


def test_transfer(held):
    report = held.analyse("transfer")
    table = report.tables[0]
    for row in rows_of(table):
        protocol, many = re.fullmatch(r"(.+) \((\d+)\)", row["protocol"]).groups()
        means = [
            [right_share(held.of(arm, dataset)) for dataset in DATASETS]
            for arm in find_arms(held, "hard")
            if arm.split()[0] == protocol
        ]
        assert len(means) == int(many)
        by_dataset = list(zip(*means, strict=True))
        average = sum(sum(each) / len(each) for each in by_dataset) / len(by_dataset)
        assert row["average"].mean == pytest.approx(average)
        best = sum(map(max, by_dataset)) / len(by_dataset)
        assert row["best"].mean == pytest.approx(best)


def test_adaptive(held):
    report = held.analyse("adaptive")
    vote = held.of("self-consistency samples=1", "arithmetic")
    for row in rows_of(report.tables[0]):
        own = held.of(row["method"], "arithmetic")
        assert row["accuracy %"].mean == pytest.approx(right_share(own))
        assert row["tokens"] == pytest.approx(per_debate(own, tokens))
        gap = row["self-consistency of the study: difference"]
        assert gap.mean == pytest.approx(right_share(own) - right_share(vote))


def test_prompt_caching(held):
    table = held.analyse("prompt-caching").tables[0]
    for row in rows_of(table):
        own = held.of(row["arm"], row["dataset"])
        assert row["debates"] == len(own)
        assert row["prompts"] == sum(len(d.turns) for d in own)
        paid = sum(turn["prompt_tokens"] for d in own for turn in d.turns)
        cached = sum(turn.get("cached_tokens", 0) for d in own for turn in d.turns)
        assert row["reported %"] == cached / paid
