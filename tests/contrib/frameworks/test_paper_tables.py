"""The table of frameworks in "Prejudice and Fidelity", run on stand-ins and recounted."""

import msgspec
import pytest

import moot
from moot.contrib.papers.paper_report import PaperRuns, repeat
from moot.contrib.papers.paper_studies import Wanted, plan_paper
from moot.contrib.papers.published import read_paper
from moot.debate.protocol import registry
from moot.studies.lab import open_lab

FRAMEWORKS = {"LangChain": "langgraph", "CAMEL": "camel", "AutoGen": "autogen"}
OPENINGS = {
    "open": "open",
    "controlled right": "control-right",
    "controlled wrong": "control-wrong",
}

for each in FRAMEWORKS.values():
    if not registry.get(each).is_installed:
        pytest.skip(f"{each} is not installed: see test_society", allow_module_level=True)

pytestmark = pytest.mark.soak


async def test_frameworks_of_table_2_stand_beside_what_was_published(tmp_path):
    paper = read_paper("apf")
    [study] = [own for own in paper.ours.studies if own.study == "prejudice-society-level"]
    datasets = [name for name in study.datasets if "Chess" not in name]  # it needs a library
    small = msgspec.structs.replace(study, datasets=datasets)
    paper = paper._replace(ours=msgspec.structs.replace(paper.ours, studies=[small]))
    wanted = Wanted("simulated/people?accuracy=0.6", 0.001, sums=True, only=("table 2",))
    planned = plan_paper(paper, wanted)
    [plan] = [own.plan for own in planned.studies.values()]
    outcome = await moot.run(plan.study, store=tmp_path)
    assert (outcome.done, outcome.failed) == (plan.size, 0)
    async with open_lab(tmp_path, readonly=True) as lab:
        made = repeat(paper, PaperRuns(lab, planned, {study.study: outcome.run}), planned, wanted)
        row = lab.store.find_run(outcome.run)
        debates = list(lab.store.debates(row.id))
    values = [own for own in made.report.data["values"] if own["ours"] is not None]
    assert len(values) == 4 * len(datasets) * 9  # each model of the paper's has a row
    for own in values:
        framework, opening = own["column"].split(", ")
        arm = f"{FRAMEWORKS[framework]} opening={OPENINGS[opening]}"
        label = planned.studies[study.study].labels[own["row"].partition(":")[0]]
        right = [
            debate.transcript.verdict.answer == debate.transcript.question.answer
            for debate in debates
            if debate.arm == arm and debate.dataset == label
        ]
        assert own["ours"] == pytest.approx(sum(right) / len(right))
        assert own["questions"] == len(right) == 2
