"""What analyses of causes and judges say first, counted again from transcripts."""

import json
import re
from collections import defaultdict

import pytest

from support.recounts import RecordedStudy, commonest, right_share, rows_of, share

SUMS = {"name": "arithmetic", "n": 12, "difficulty": 3}
MODEL = "simulated/people?accuracy=0.6"
MOVED = f"{MODEL}&persuasion=0.3"


def study_of(name, *arms, model=MODEL, datasets=(SUMS,), **more):
    given = {"settings": {"model": model}, "datasets": list(datasets), "arms": list(arms)}
    return {"name": name, **given, **more}


SOCIETY = {"protocol": "society-of-minds"}
PLANTED = study_of(
    "planted",
    {"protocol": "planted-peers", "level": [0, 1, 2, 3]},
    {"protocol": "exposure", "agents": 1, "shows": "nothing"},
    model=MOVED,
)
UNSURE = f"{MOVED}&concentration=2&unparseable=0.1"
CONTROLS = study_of("controls", SOCIETY, model=UNSURE, controls=True)
REVIEWS = study_of("reviews", {"protocol": "council"}, {"protocol": "peer-review"})
CONFIDENT = study_of("confident", SOCIETY | {"rounds": 2, "confidence": "percent"})
OVERSIGHT = study_of(
    "overseen",
    {"protocol": "single"},
    {"name": "naive", "protocol": "oversight-debate", "rounds": 0},
    {"protocol": "oversight-debate", "rounds": 1},
    {"name": "wrong", "protocol": "oversight-consultancy", "rounds": 1, "side": "wrong"},
    {
        "name": "unlike",
        "protocol": "oversight-debate",
        "rounds": 1,
        "agents": [{"model": "simulated/a"}, {"model": "simulated/b"}, {"role": "judge"}],
    },
    model="simulated/judge?accuracy=0.9&discernment=0.5",
    baseline="single",
)


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """Make a study's debates once; gives a function of the study."""
    made = {}

    def hold(study):
        name = study["name"]
        if name not in made:
            made[name] = RecordedStudy(tmp_path_factory.mktemp(name), study)
        return made[name]

    return hold


def spoken(debate, number, *, counts=True):
    """The values that debaters gave in a round, by seat."""
    minds = {seat["number"] for seat in debate.seats if seat.get("debater", True)}
    own = [
        turn
        for turn in debate.turns
        if turn["seat"] in minds and turn["round"] == number and turn.get("votes", True) == counts
    ]
    return [debate.value(turn) for turn in sorted(own, key=lambda turn: turn["seat"])]


def test_contrasts(held):
    study = held(CONTROLS)
    rows = rows_of(study.analyse("contrasts").tables[0])
    shown = {row["what it estimates"].strip("1234 "): row["points"] for row in rows}
    society = "society-of-minds"
    arms = {way: f"{society}: {way}" for way in ("nothing", "stances", "vacuous")}
    right = {way: right_share(study.of(arm)) for way, arm in arms.items()}
    right["reasons"] = right_share(study.of(society))
    first = share(
        (d.question, commonest(spoken(d, 1)) == d.right) for d in study.of(arms["nothing"])
    )
    assert shown["reflection"].mean == pytest.approx(right["nothing"] - first)
    assert shown["seeing answers"].mean == pytest.approx(right["stances"] - right["nothing"])
    assert shown["look of a reason"].mean == pytest.approx(right["vacuous"] - right["stances"])
    assert shown["content of reasons"].mean == pytest.approx(right["reasons"] - right["vacuous"])


def read_agents(study):
    """Of each agent its first answer, those of its peers, and what it revised it to, by way."""
    society = "society-of-minds"
    arms = {way: f"{society}: {way}" for way in ("nothing", "stances", "vacuous")}
    debates = {way: {d.key: d for d in study.of(arm)} for way, arm in arms.items()}
    debates["reasons"] = {d.key: d for d in study.of(society)}
    again = {way: own for way, own in debates.items() if way in {"nothing", "stances"}}
    for key, start in debates["nothing"].items():
        firsts = spoken(start, 1)
        revised = {way: spoken(own[key], 2) for way, own in debates.items()}
        second = {way: spoken(own[key], 2, counts=False) for way, own in again.items()}
        for seat, first in enumerate(firsts):
            told = {way: own[seat] for way, own in revised.items()}
            if None in (first, *told.values(), *(own[seat] for own in second.values())):
                continue
            peers = {v for at, v in enumerate(firsts) if at != seat and v is not None}
            yield start, first, peers, told


def test_flip_sources(held):
    study = held(CONTROLS)
    report = study.analyse("flip-sources")
    rows = {row["reason to change"]: row for row in rows_of(report.tables[0])}
    every = list(read_agents(study))
    stable = [
        (first, peers, told)
        for _, first, peers, told in every
        if peers - {first} and told["nothing"] == first
    ]
    resistant = [each for each in stable if each[2]["stances"] == each[0]]
    counted = {
        "instability": [told["nothing"] != first for _, first, _, told in every],
        "conformity": [
            told["stances"] != first and told["stances"] in peers for first, peers, told in stable
        ],
        "placebo": [
            told["vacuous"] != first and told["vacuous"] in peers
            for first, peers, told in resistant
        ],
        "persuasion": [
            told["reasons"] != first and told["reasons"] in peers
            for first, peers, told in resistant
        ],
    }
    for name, flips in counted.items():
        assert rows[name]["agents"] == len(flips)
        assert rows[name]["gross %"].mean == pytest.approx(sum(flips) / len(flips))
    changed = sum(told["reasons"] != first for _, first, _, told in every)
    everything = {row["first reason"]: row for row in rows_of(report.tables[1])}["all changes"]
    assert everything["changes"] <= changed


def test_predictors(held):
    study = held(CONTROLS)
    rows = rows_of(study.analyse("predictors").tables[0])
    society = "society-of-minds"
    pairs = study.pairs(f"{society}: nothing", f"{society}: stances")
    counted = {"harmful conformity": [], "useful conformity": []}
    for alone, shown in pairs:
        firsts, kept, told = spoken(alone, 1), spoken(alone, 2), spoken(shown, 2)
        again = spoken(alone, 2, counts=False)
        for seat, first in enumerate(firsts):
            others = {*firsts[:seat], *firsts[seat + 1 :]} - {first, None}
            if None in (first, kept[seat], told[seat], again[seat]) or kept[seat] != first:
                continue
            if not others:
                continue
            was = first == alone.right
            moved, chance = (
                each in others and (each == alone.right) != was
                for each in (told[seat], again[seat])
            )
            counted[f"{'harmful' if was else 'useful'} conformity"].append(moved - chance)
    for band, changes in counted.items():
        shown = [row for row in rows if row["band"] == band]
        assert shown
        assert {row["cases"] for row in shown} == {len(changes)}
        assert {row["changes"] for row in shown} == {sum(map(bool, changes))}


def test_information_gradient(held):
    study = held(PLANTED)
    table = study.analyse("information-gradient").tables[0]
    shares = {}
    for level in range(4):
        gave = []
        for d in study.of(f"planted-peers level={level}"):
            turns = [turn for turn in d.turns if turn["role"] == "mind"]
            first, last = turns[0], turns[-1]
            stated = [re.split(";", part)[0].split()[-1] for part in last["parts"].values()]
            assert len(set(stated)) == 1, "all peers state the same"
            if d.value(first) == d.right:
                gave.append((d.question, last.get("answer") == stated[0]))
        shares[level] = share(gave), len(gave)
    for level, row in enumerate(table.rows):
        assert row.cells[1].mean == pytest.approx(shares[level][0])
        assert row.cells[2] == shares[level][1]
        if level:
            assert row.cells[3].mean == pytest.approx(shares[level][0] - shares[level - 1][0])


def test_calibration(held):
    study = held(CONFIDENT)
    rows = rows_of(study.analyse("calibration").tables[0])
    [row] = [r for r in rows if (r["source"], r["answers"]) == ("stated", "first round")]
    pairs = []
    for d in study.of("society-of-minds"):
        for turn in d.turns:
            stated = re.search(r"^Confidence: (\d+)%$", turn["text"], re.MULTILINE)
            if turn["round"] == 1 and stated and turn.get("answer") is not None:
                pairs.append((d.value(turn) == d.right, int(stated[1]) / 100))
    assert row["n"] == len(pairs) > 20
    right = sum(good for good, _ in pairs) / len(pairs)
    sure = sum(each for _, each in pairs) / len(pairs)
    assert row["accuracy %"].mean == pytest.approx(right)
    assert row["confidence %"].mean == pytest.approx(sure)
    assert row["over-\nconfidence"].mean == pytest.approx(sure - right)
    brier = sum((each - good) ** 2 for good, each in pairs) / len(pairs)
    assert row["Brier"].mean == pytest.approx(brier)
    good = [each for is_right, each in pairs if is_right]
    bad = [each for is_right, each in pairs if not is_right]
    better = sum((a > b) + (a == b) / 2 for a in good for b in bad)
    assert row["AUROC"].mean == pytest.approx(better / len(good) / len(bad))


def test_option_bias(held, tmp_path):
    file = tmp_path / "own.jsonl"
    lines = [
        {"id": f"q{k}", "question": f"Item {k}?", "choices": list("wxyz"), "answer": "ABCD"[k % 4]}
        for k in range(24)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    own = {"name": "file", "label": "own", "path": str(file)}
    arm = {"name": "one", "protocol": "single"}
    model = "simulated/a?accuracy=0.4&position_bias=0.3"
    study = held(study_of("options", arm, model=model, datasets=[own]))
    rows = rows_of(study.analyse("option-bias").tables[0])
    chosen = [(d, "abcd".index(d.said), "abcd".index(d.right)) for d in study.of("one")]
    for place, row in enumerate(rows):
        gaps = [(at == place) - 1 / 3 for _, at, right in chosen if right not in (at, place)]
        cells = [cell for cell in row.values() if hasattr(cell, "mean")]
        assert cells[0].mean == pytest.approx(sum(gaps) / len(gaps))
        here = [at == right for _, at, right in chosen if right == place]
        assert any(cell.mean == pytest.approx(sum(here) / len(here)) for cell in cells[1:])


def test_ranker_bias(held):
    study = held(REVIEWS)
    rows = rows_of(study.analyse("ranker-bias").tables[0])
    given = defaultdict(list)
    for d in study.of("council"):
        scored = {}
        for turn in d.turns:
            ranking = (turn.get("reading") or {}).get("ranking")
            if turn["step"] == "review" and ranking:
                last = len(ranking) - 1
                scored[turn["agent"]] = (
                    {name: 1 - at / last for at, name in enumerate(ranking)},
                    list(turn["reading"]["labels"].values()),
                )
        for ranker, (scores, shown) in scored.items():
            for place, name in enumerate(shown, 1):
                given[f"place {place}"].append(scores[name] - 0.5)
            others = [own[ranker] for name, (own, _) in scored.items() if name != ranker]
            given["own reply"].append(scores[ranker] - sum(others) / len(others))
    assert [row["favoured"] for row in rows] == list(given)
    for row in rows:
        excess = given[row["favoured"]]
        assert row["excess"].mean == pytest.approx(sum(excess) / len(excess))
        assert row["judgements"] == len(excess)


def test_review_weights(held):
    study = held(REVIEWS)
    [row] = rows_of(study.analyse("review-weights").tables[0])
    own = study.of("peer-review")
    assert row["plain %"].mean == pytest.approx(right_share(own))
    assert row["questions"] == len(own)
    for d in own:
        scores = defaultdict(list)
        for turn in d.turns:
            for name, score in ((turn.get("reading") or {}).get("scores") or {}).items():
                scores[name].append(score)
        best = max(sum(each) / len(each) for each in scores.values())
        [chosen] = [turn for turn in d.turns if turn["id"] == d.verdict["turn"]]
        means = scores[chosen["agent"]]
        assert sum(means) / len(means) == pytest.approx(best), "the plain mean decides"


def test_oversight(held):
    study = held(OVERSIGHT)
    report = study.analyse("oversight")
    for each in report.data:
        own = study.of(each.arm)
        assert each.accuracy.mean == pytest.approx(right_share(own))
        if each.arm == "wrong":
            follows = share((d.question, not d.is_right) for d in own)
            assert each.convinced_wrong.mean == pytest.approx(follows)


LEAGUE = {
    "name": "league",
    "arms": [
        {
            "protocol": "debate-match",
            "phases": "opening",
            "round_robin": True,
            "models": ["simulated/a?accuracy=0.5", "simulated/b?accuracy=0.8", "simulated/c"],
        }
    ],
}


def test_league(held, tmp_path):
    file = tmp_path / "motions.jsonl"
    lines = [{"id": f"m{k}", "question": f"Cities should ban cars number {k}."} for k in range(4)]
    file.write_text("\n".join(map(json.dumps, lines)))
    own = {"name": "file", "path": str(file), "kind": "text", "label": "motions"}
    study = held(LEAGUE | {"datasets": [own]})
    report = study.analyse("league", rescaled=False)
    margins = {}
    for d in study.debates:
        pro, con = re.fullmatch(r"debate-match (\S+) against (\S+)", d.arm).groups()
        [ruling] = [turn["reading"] for turn in d.turns if turn["role"] == "juror"]
        sign = {"PRO": 1, "CON": -1}.get(ruling["winner"], 0)
        margins[d.question, pro, con] = sign * ruling["margin"]
    scores = defaultdict(list)
    for (motion, one, other), margin in margins.items():
        if one < other:
            score = (margin - margins[motion, other, one]) / 2
            scores[one].append(score)
            scores[other].append(-score)
    ratings = rows_of(report.tables[0])
    assert {row["model"] for row in ratings} == scores.keys()
    for row in ratings:
        own = scores[row["model"]]
        assert row["won"] == sum(score > 0 for score in own)
        assert row["drawn"] == sum(score == 0 for score in own)
        assert row["lost"] == sum(score < 0 for score in own)
        assert row["margin"].mean == pytest.approx(sum(own) / len(own))
        assert (row["rating"].n, row["rating"].questions) == (len(own), 4)
    best = max(ratings, key=lambda row: row["rating"].mean)["model"]
    assert report.findings[0].startswith(f"{best} leads 3 models with a rating of")
    assert "after 12 matches on 4 motions" in report.findings[0]
