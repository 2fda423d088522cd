"""Of runs of several kinds: what is listed can be given, and the heads of its tables are words."""

import asyncio
import json
import re

import pytest

import moot
from moot.analyses.analysis import registry
from moot.analyses.recorded_runs import RecordedRuns
from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.studies.lab import open_lab

HOUSE = re.compile(
    r"\b(arms?|detectable|unparsed|oracle gap|draws|short|replayed|ledger|pack|openings?|put)\b",
    re.IGNORECASE,
)
"""Words of the code and of files that no head of a table has."""
PLAIN = [
    {"protocol": "single"},
    {"protocol": "self-consistency", "samples": 4},
    {"protocol": "society-of-minds"},
]
JUDGED = [
    {"protocol": name}
    for name in ("single", "debate-moderated", "multi-persona", "council", "peer-review")
]
KINDS = {
    "one": {"arms": PLAIN[:1]},
    "plain": {"arms": PLAIN},
    "equal": {"arms": PLAIN, "equal_budget": True},
    "judged": {"arms": JUDGED},
    "grown": {"arms": [PLAIN[0], {**PLAIN[2], "rounds": [1, 2, 3], "temperature": 0.5}]},
    "opened": {"arms": [{**PLAIN[2], "opening": ["open", "control-right", "control-wrong"]}]},
    "controlled": {"arms": PLAIN, "controls": True},
}
LEAST = {"plain": 15, "judged": 15, "imported": 8}
"""At least so many analyses a run of the kind can be given."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The runs of all kinds, by the kind, in a store that is open."""
    folder = tmp_path_factory.mktemp("listed")
    for name, kind in KINDS.items():
        study = {
            "name": name,
            "settings": {"model": "simulated/people?accuracy=0.6"},
            "datasets": [{"name": "arithmetic", "label": "sums", "n": 6}],
            **kind,
        }
        asyncio.run(moot.run(study, store=folder))
    keys = dict.fromkeys(KINDS) | {name: name for name in KINDS}
    keys["imported"] = asyncio.run(import_debates(folder))

    def look(kind, use):
        async def work():
            async with open_lab(folder, readonly=True) as lab:
                return use(RecordedRuns(lab, [keys[kind]]))

        return asyncio.run(work())

    return look


async def import_debates(folder):
    """Import two debates of three agents in two rounds, as others recorded them."""
    path = folder / "log.jsonl"
    turns = [
        {"agent": "ABC"[n % 3], "round": n // 3 + 1, "text": f"The answer is {said}."}
        for n, said in enumerate("454454")
    ]
    each = {
        "format": "debate-log/1",
        "agents": [{"name": name} for name in "ABC"],
        "turns": turns,
        "dataset": "sums",
    }
    lines = [
        json.dumps({**each, "id": f"q{n}", "question": {"text": f"{n} + {4 - n}?", "answer": "4"}})
        for n in range(6)
    ]
    path.write_text("\n".join(lines), "utf-8")
    async with open_lab(folder) as lab:
        log = Log(path)
        return (await import_log(lab, log, find_format(log))).run


@pytest.mark.parametrize("kind", [*KINDS, "imported"])
def test_each_analysis_that_is_listed_can_be_given_and_each_other_has_a_reason(runs, kind):
    def walk(own):
        given, refused = {}, {}
        for found in registry:
            if lack := found.find_lack(own):
                refused[found.name] = lack
            else:
                given[found.name] = found.apply(own, {})
        return given, refused

    given, refused = runs(kind, walk)
    assert len(given) >= LEAST.get(kind, 1)
    assert len(given) + len(refused) == len(registry.names())
    for name, report in given.items():
        found = report.charts or report.findings or report.notes
        assert found or any(table.rows for table in report.tables), name
    assert all(len(lack.split()) > 3 for lack in refused.values()), refused


@pytest.mark.parametrize("kind", [*KINDS, "imported"])
def test_heads_of_tables_are_in_words_of_the_field(runs, kind):
    def read(own):
        reports = (found.apply(own, {}) for found in registry if not found.find_lack(own))
        return [(table, column) for r in reports for table in r.tables for column in table.columns]

    for table, column in runs(kind, read):
        assert not HOUSE.search(column.heading), (table.title, column.heading)


def test_a_head_is_another_than_the_name_of_its_field_in_files(runs):
    def read(own):
        return registry.get("accuracy").apply(own, {}).tables[1:]

    accuracies, *_, changes, rounds = runs("plain", read)
    assert accuracies.columns[0].heading == "Method"
    assert {"Arm", "Detectable"} <= set(accuracies.fields)
    assert "Oracle gap" in changes.fields
    assert "Right, then lost %" in [column.heading for column in changes.columns]
    assert rounds.columns[0].field == "Arm"
