"""What analyses of openings and networks say first, counted again from transcripts."""

import asyncio
import json
from collections import Counter

import pytest

import moot
from support.recounts import RecordedStudy, right_share, rows_of, share, value_of
from support.stored_runs import copy_as_older

SUMS = {"name": "arithmetic", "n": 12, "difficulty": 2}
OPENINGS = ["open", "control-right", "control-wrong"]
OPENED = {
    "name": "opened",
    "settings": {
        "model": "simulated/people?accuracy=0.6&anchor=0.4&revise=0.4&favours=affirmative:0.3"
    },
    "datasets": [SUMS],
    "arms": [
        {"protocol": "single", "opening": OPENINGS},
        {"protocol": "consultancy", "opening": OPENINGS},
        {"protocol": "debate-moderated", "rounds": [2, 3], "opening": OPENINGS},
    ],
}
NETWORKS = {
    "name": "nets",
    "settings": {"model": "simulated/people?accuracy=0.6&unparseable=0.1"},
    "datasets": [SUMS],
    "arms": [
        {"protocol": "network", "graph": ["short-long", "feed-forward"], "agents": 2},
        {"protocol": "hopfield", "communities": [2, 3, 4]},
    ],
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    return RecordedStudy(tmp_path_factory.mktemp("opened"), OPENED)


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    return RecordedStudy(tmp_path_factory.mktemp("nets"), NETWORKS)


def arm_of(group, opening):
    """The name of an arm of a group as tables call it."""
    stem, _, grid = group.partition(" ")
    return f"{stem} {grid + ',' if grid else ''}opening={opening}"


def test_prejudice(opened):
    report = opened.analyse("prejudice")
    heads = {"open": "open", "right": "control-right", "wrong": "control-wrong"}
    [table] = [each for each in report.tables if each.title == "arithmetic: accuracy by opening"]
    for row in rows_of(table):
        for head, opening in heads.items():
            own = opened.of(arm_of(row["protocol"], opening))
            assert row[head].value.mean == pytest.approx(right_share(own))
    for group in report.data.groups:
        for opening in group.columns:
            name = arm_of(group.name, opening.opening)
            pairs = opened.pairs(name, arm_of(group.name, "open"))
            if opening.sway is None:
                continue
            put = [{value_of(each, d.kind) for each in d.opening} for d, _ in pairs]
            followed = [d.said in values for (d, _), values in zip(pairs, put, strict=True)]
            openly = [d.said in values for (_, d), values in zip(pairs, put, strict=True)]
            assert opening.sway.followed.mean == pytest.approx(sum(followed) / len(pairs))
            assert opening.sway.openly.mean == pytest.approx(sum(openly) / len(pairs))


def test_openings(opened):
    heads = {"open": "open", "right": "control-right", "wrong": "control-wrong"}
    [chart] = opened.analyse("openings").charts
    assert len(chart.rows) == 12
    for row in chart.rows:
        own = opened.of(arm_of(row["group"], heads[row["opening"]]))
        assert row["accuracy"] == pytest.approx(right_share(own))


def test_cases(opened):
    report = opened.analyse("cases")
    assert len(report.findings) == 4
    for finding in report.findings:
        group = finding.partition(" on ")[0]
        pairs = opened.pairs(arm_of(group, OPENINGS[1]), arm_of(group, OPENINGS[2]))
        some = sum(other.is_right and not one.is_right for one, other in pairs)
        turned = sum(one.is_right and not other.is_right for one, other in pairs)
        assert f"succeeds in {some} of {len(pairs)} pairs" in finding
        assert f"other way round in {turned} (p" in finding


def test_judge_bias(opened):
    report = opened.analyse("judge-bias")
    tables = [each for each in report.tables if "what it is worth" not in each.title]
    checked = 0
    for table in tables:
        rounds = table.title[-1]
        assert table.title == f"arithmetic: debate-moderated: debate-moderated rounds={rounds}"
        for row in rows_of(table):
            own = opened.of(f"debate-moderated rounds={rounds},opening={row['opening']}")
            sides = Counter(map(_supported, own))
            counted = [sides[name] / len(own) for name in ("Affirmative", "Negative")]
            shown = [row["first"], row["second"]]
            assert [getattr(each, "mean", each) for each in shown] == pytest.approx(counted)
            checked += 1
    assert checked == 6


def _supported(debate):
    """The side whose turn decided, that the ruling names, or whose answer alone it is."""
    [decided] = [turn for turn in debate.turns if turn["id"] == debate.verdict["turn"]]
    if decided["role"] in {"affirmative", "negative"}:
        return decided["role"].title()
    side = json.loads(decided["text"]).get("Supported Side")
    if side in {"Affirmative", "Negative"}:
        return side
    last = {turn["role"]: debate.value(turn) for turn in debate.turns}
    same = [role for role in ("affirmative", "negative") if last[role] == debate.said]
    return same[0].title() if len(same) == 1 else None


def test_rounds_that_happened(opened):
    report = opened.analyse("fidelity")
    table = next(t for t in report.tables if t.title == "Rounds that happened, by opening")
    for row in rows_of(table):
        arms = row["arms"] if "rounds" in str(row["arms"]) else ""
        group = f"{row.get('protocol', 'debate-moderated')} {arms}".strip()
        for head, opening in zip(("open", "right", "wrong"), OPENINGS, strict=True):
            own = opened.of(arm_of(group, opening))
            once = [max(turn["round"] for turn in d.turns) == 1 for d in own]
            assert _plain(row[f"{head} %"]) == pytest.approx(right_share(own))
            assert _plain(row[f"{head} n = 1 %"]) == pytest.approx(sum(once) / len(own))
            assert _plain(row[f"{head} n > 1 %"]) == pytest.approx(1 - sum(once) / len(own))


def _plain(cell):
    return getattr(cell, "mean", cell)


def nodes_right(debate, sweep=None):
    """By node, whether its verdict, the last or that of a sweep, is right."""
    found = {}
    for node in debate.nodes:
        if "/" not in node["node"] and sweep in {None, node.get("sweep", 1)}:
            said = value_of(node["verdict"].get("answer"), debate.kind)
            found[node["node"]] = said is not None and said == debate.right
    return found


def passed_on(debate, node):
    """What others read of a node: its verdict, or the answer that its judge alone gave."""
    verdict = node["verdict"]
    if verdict["by"].startswith("judge: "):
        [verdict] = [turn for turn in debate.turns if turn["id"] == verdict["turn"]]
    return value_of(verdict.get("answer"), debate.kind)


def test_networks(nets):
    report = nets.analyse("networks")
    paths, layers = report.tables[0], next(t for t in report.tables if "feed" in t.title)
    [row] = rows_of(paths)
    own = nets.of("network graph=short-long")
    for node in ("C1", "C4"):
        right = share((d.question, nodes_right(d)[node]) for d in own)
        assert row[f"path {node} %"].mean == pytest.approx(right)
    assert row["network %"].mean == pytest.approx(right_share(own))
    [row] = rows_of(layers)
    own = nets.of("network graph=feed-forward")
    means = {}
    for layer in (1, 2):
        names = {each["node"] for d in own for each in d.nodes if each["layer"] == layer}
        assert len(names) == 3
        means[layer] = share(
            (d.question, sum(nodes_right(d)[name] for name in names) / 3) for d in own
        )
        assert row[f"layer {layer} %"].mean == pytest.approx(means[layer])
    parts = {table.title: table for table in nets.analyse("accuracy").tables}
    shown = {
        row["Part"]: row for row in rows_of(parts["Parts of the networks"]) if "feed" in row["band"]
    }
    for layer, mean in means.items():
        assert shown[f"layer {layer}"]["Accuracy %"].mean == pytest.approx(mean)
    gap = 100 * (right_share(own) - means[2])
    [told] = [each for each in report.findings if "feed-forward" in each]
    assert f"network − layer 2: {gap:+.1f} points".replace("-0", "−0") in told


def test_that_judges_invent_is_said(tmp_path):
    def script(call):
        return f'{{"answer": "{1 + (call.scene.role == "judge")}", "reason": "so"}}'

    model = moot.Scripted(script, name="stubborn")
    said = {}
    for free in (False, True):
        study = {
            "name": f"free{free:d}",
            "settings": {"model": model.name},
            "datasets": [SUMS | {"n": 3}],
            "arms": [{"name": "net", "protocol": "network", "agents": 2, "free_judge": free}],
        }
        held = RecordedStudy(tmp_path, study, models=[model])
        assert {d.said for d in held.debates} == {2 if free else None}
        said[free] = [each for each in held.analyse("networks").notes if "nobody it read" in each]
    assert [each.partition("; ")[0] for each in said[True]] == [
        "net on arithmetic: in 3 of 3 debates a judge gave an answer that nobody it read had given"
    ]
    assert said[False][0].endswith("it is none.")
    assert said[True][0].endswith("it counts (free_judge).")


def test_network(nets):
    for chart in nets.analyse("network").charts:
        name = chart.title.partition(" on ")[0]
        if not name.startswith("network"):
            continue
        own = nets.of(name)
        for row in chart.rows:
            if "name" in row and row["name"] != "judge":
                right = share((d.question, nodes_right(d)[row["name"]]) for d in own)
                assert row["accuracy"] == pytest.approx(right)
                assert row["debates"] == len(own)


def test_hopfield(nets):
    report = nets.analyse("hopfield")
    for row, told in zip(rows_of(report.tables[0]), report.findings, strict=True):
        own = nets.of(row["arm"])
        agreed, sweeps = [], Counter()
        for d in own:
            last = max(node.get("sweep", 1) for node in d.nodes)
            said = [passed_on(d, node) for node in d.nodes if node.get("sweep", 1) == last]
            same = None not in said and len(set(said)) == 1
            assert same == (d.by == "consensus"), "as the debate itself was closed"
            agreed.append(same)
            sweeps[last] += same
        times = sum(agreed)
        mean = sum(k * many for k, many in sweeps.items()) / times
        assert row["agreed"].mean == times / len(own)
        assert row["sweeps to agreement"] == pytest.approx(mean)
        assert f"at the end of {100 * times / len(own):.1f} % of debates" in told
        assert f"after {mean:.1f} sweeps" in told
    members = [
        len({value_of(t.get("answer"), d.kind) for t in d.turns if t["role"] == "member"}) > 1
        for d in nets.of("hopfield communities=3")
        if d.by == "consensus"
    ]
    assert any(members), "members differ where nodes agree"


def test_hopfield_of_a_run_that_an_older_moot_measured(nets, tmp_path):
    copy_as_older(nets.folder, tmp_path / "old", "nodes-agree")
    old = asyncio.run(moot.analyse("hopfield", nets.name, store=tmp_path / "old"))
    new = nets.analyse("hopfield")
    assert (old.tables, old.findings) == (new.tables, new.findings)
