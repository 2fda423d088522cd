"""What analyses of essays say first, counted again from transcripts (see ``support.recounts``)."""

import asyncio
import json
import re
from collections import defaultdict

import pytest

from moot.contrib.essays.rate.rankings import ComparedItem, RankingChoice, Rankings
from moot.studies.lab import open_lab
from support.recounts import RecordedStudy, rows_of, share

ARMS = ("essay-direct", "essay-plan", "debate-to-write")


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    folder = tmp_path_factory.mktemp("essays")
    file = folder / "own.jsonl"
    lines = [{"id": f"m{k}", "question": f"Cities should ban cars number {k}."} for k in range(4)]
    file.write_text("\n".join(map(json.dumps, lines)))
    study = {
        "name": "written",
        "settings": {"model": "simulated/people"},
        "datasets": [{"name": "file", "path": str(file), "kind": "text", "label": "motions"}],
        "replicates": 2,
        "arms": [{"protocol": arm} for arm in ARMS],
    }
    return RecordedStudy(folder, study)


def test_essays(held):
    report = held.analyse("essays")
    [lengths] = [table for table in report.tables if table.title == "motions: length"]
    for row in rows_of(lengths):
        own = held.of(row["arm"])
        words = share(
            (d.question, len(re.findall(r"\w+(?:['’-]\w+)*", d.verdict["answer"]))) for d in own
        )
        assert row["words"].mean == pytest.approx(words)
        assert row["n"] == len(own)
    assert {row["n"] for row in rows_of(report.tables[0])} == {8}


def test_personas(held):
    teams = defaultdict(list)
    for row in rows_of(held.analyse("personas").tables[0]):
        teams[int(row["band"][-1]) - 1].append(row["persona"])
    own = {d.replicate: d for d in held.of("debate-to-write") if d.question == "m0"}
    assert teams.keys() == own.keys() == {0, 1}
    for replicate, names in teams.items():
        chosen = [turn for turn in own[replicate].turns if turn["role"] not in {"writer", "agent"}]
        said = "\n".join(turn["text"] for turn in chosen)
        assert len(set(names)) == own[replicate].settings["team"]
        assert all(name in said for name in names), "as they were proposed"


def test_discussion(held):
    report = held.analyse("discussion")
    own = held.of("debate-to-write")
    took, capped = [], 0
    for d in own:
        talk = [turn for turn in d.turns if (turn.get("reading") or {}).get("kind") == "standing"]
        last = max(turn["round"] for turn in talk)
        took.append((d.question, last))
        newest = {turn["agent"]: turn["reading"]["settled"] for turn in talk}
        capped += last == d.settings["rounds"] and not all(newest.values())
    [row] = rows_of(report.tables[-1])
    assert row["rounds"].mean == pytest.approx(share(took))
    assert row["debates"] == len(own)
    assert row["at the cap"] == capped
    cap = own[0].settings["rounds"]
    told = f"debate-to-write: {capped} of {len(own)} discussions came to the cap of {cap} rounds"
    assert report.findings[0].startswith(told)


async def rank(held, places):
    """Let raters rank the essays: by name and proposition the place of each arm."""
    async with open_lab(held.folder) as lab:
        row, rankings = lab.store.find_run("written"), Rankings(lab.store)
        for name in dict.fromkeys(name for name, _ in places):
            rater = await rankings.add_rater(row.id, name, name, 0)
            for (who, item), order in places.items():
                choices = [
                    RankingChoice(ComparedItem("motions", item, 0), "quality", arm, place, 1, 3)
                    for arm, place in zip(ARMS, order, strict=True)
                ]
                if who == name:
                    await rankings.add_choices(rater.id, choices)
        await lab.store.flush()


def test_essay_rankings(held):
    places = {
        ("Ann", "m0"): (1, 2, 3),
        ("Ann", "m1"): (3, 1, 2),
        ("Bo", "m0"): (2, 1, 3),
        ("Bo", "m1"): (3, 2, 1),
    }
    asyncio.run(rank(held, places))
    report = held.analyse("essay-rankings")
    for row in rows_of(report.tables[0]):
        at = ARMS.index(row[next(iter(row))])
        own = [order[at] for order in places.values()]
        cells = [cell for cell in row.values() if hasattr(cell, "mean")]
        assert cells[0].mean == pytest.approx(sum(4 - place for place in own) / len(own))
        assert cells[1].mean == pytest.approx(own.count(1) / len(own))
