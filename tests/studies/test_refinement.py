"""Refinement: what all models have right goes, and of the rest the hardest stay."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

import moot
from moot.core.errors import BudgetReached, InputError, MootError
from moot.datasets.library import questions as questions_of
from moot.studies.lab import open_lab
from moot.studies.refinement import refine
from moot.studies.study_file import load
from support.archives import add_gpqa

GOOD, BAD = "simulated/good?accuracy=0.8&seed=1", "simulated/bad?accuracy=0.5&seed=1"
POOL = ("open", "control-right", "control-wrong")
ASKED = {"sums": 20, "chess-moves": 8}


def study(**changed):
    return {
        "name": "hard",
        "settings": {"model": [GOOD, BAD]},
        "datasets": [
            {"name": "arithmetic", "label": "sums", "difficulty": 2, "n": 20},
            {"name": "chess-moves", "n": 8},
        ],
        "arms": [
            {"protocol": "single"},
            {"protocol": "self-consistency", "samples": 2, "opening": list(POOL)},
            {"protocol": "consultancy", "rounds": 1, "opening": list(POOL)},
        ],
    } | changed


@pytest.fixture
def refined(tmp_path):
    """Refines a study into a folder of its own."""

    async def refined(out="out", **options):
        given = options.pop("study", None) or study()
        return await refine(given, tmp_path / out, store=tmp_path / "store", **options)

    return refined


def told(question):
    """All of a question; one right answer is the same alone and in a list."""
    return replace(question, answer=question.answers)


async def test_the_hardest_questions_stay(refined, tmp_path):
    found = await refined(keep=5)
    asked, debated = {}, {}
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        for run, rights in zip(found.runs, (asked, debated), strict=True):
            for row in lab.store.values(lab.store.find_run(run).id):
                key = row.dataset, row.question
                rights[key] = rights.get(key, 0.0) + row.values["accuracy"]
    assert len(asked) == 28
    left = {key for key, right in asked.items() if right < 2}
    assert set(debated) == left  # combinations debate what is left, and nothing else
    for each in found.datasets:
        own = {key[1] for key in left if key[0] == each.dataset}
        assert (each.asked, each.dropped) == (ASKED[each.dataset], ASKED[each.dataset] - len(own))
        hardness = [(asked[each.dataset, q], debated[each.dataset, q]) for q in own]
        kept = [(one.models_right, one.combinations_right) for one in each.questions]
        assert kept == sorted(hardness)[:5]
        assert len({one.id for one in each.questions} & own) == len(kept)


async def test_the_files_are_questions_that_a_study_can_ask_with_their_provenance(
    refined, tmp_path
):
    found = await refined(keep=5, seed=4)
    for each, given in zip(found.datasets, load(study()).datasets, strict=True):
        path = tmp_path / "out" / f"{each.stem}.jsonl"
        source = {q.id: q for q in questions_of(given.name, n=given.n, **given.parameters)}
        read = questions_of("file", path=str(path))
        wanted = [source[one.id] for one in each.questions]
        assert [told(one) for one in read] == [told(one) for one in wanted]
    again = study(datasets=[{"name": "file", "path": str(tmp_path / "out" / "sums.jsonl")}])
    outcome = await moot.run(again, store=tmp_path / "store")
    assert (outcome.done, outcome.failed) == (5 * 14, 0)
    about = json.loads((tmp_path / "out" / "sums.provenance.json").read_text())
    lines = (tmp_path / "out" / "sums.jsonl").read_bytes()
    assert about["sha256"] == sha256(lines).hexdigest()
    assert (about["study"], about["seed"], about["keep"], about["kept"]) == ("hard", 4, 5, 5)
    assert set(about["models"].values()) == {GOOD, BAD}
    assert about["runs"] == list(found.runs)
    assert len(about["pool"]) == 6
    drawn = about["combinations"]
    assert [each for each in about["pool"] if each in drawn] == drawn
    [own] = about["datasets"]
    assert (own["dataset"], own["source"], own["n"]) == ("sums", "arithmetic", 20)
    assert own["parameters"] == {"difficulty": 2}


async def test_refining_again_asks_nothing_and_gives_the_same_bytes(refined, tmp_path):
    await refined("one")
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        spent = [lab.store.sum_spent(run.id).calls for run in lab.store.runs()]
    await refined("two")
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        assert [lab.store.sum_spent(run.id).calls for run in lab.store.runs()] == spent
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


async def test_a_seed_draws_three_of_the_pool_and_what_all_have_right_goes(refined, tmp_path):
    drawn = {(await refined(seed=seed, limit=1)).combinations for seed in range(4)}
    assert {len(set(each)) for each in drawn} == {3}
    assert len(drawn) > 1
    found = await refined(study=study(settings={"model": "simulated/all?accuracy=1"}))
    assert [each.dropped for each in found.datasets] == [20, 8]
    assert (len(found.runs), (tmp_path / "out" / "sums.jsonl").read_bytes()) == (1, b"")


async def test_a_budget_stops_it_and_running_again_goes_on(refined, tmp_path):
    with pytest.raises(BudgetReached, match="nothing was refined"):
        await refined(study=study(budget={"calls": 10}))
    assert not (tmp_path / "out").exists()
    assert (await refined()).datasets[0].asked == 20


async def test_secret_questions_are_never_written(refined, tmp_path):
    path = add_gpqa(tmp_path, "rec1,What is a secret?,this,that,those,these")
    with pytest.raises(InputError, match="'gpqa': its authors ask that") as caught:
        await refined(study=study(datasets=[{"name": "gpqa"}]))
    assert "secret?" not in str(caught.value)
    written = [each for each in tmp_path.rglob("*") if each.is_file() and each != path]
    assert [each for each in written if b"What is a secret" in each.read_bytes()] == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changed", "options", "said"),
    [
        ({"arms": [{"protocol": "consultancy"}]}, {}, "needs an arm of protocol 'single'"),
        ({"arms": [{"protocol": "single"}]}, {}, "3 combinations of protocol and opening are to"),
        ({}, {"keep": 0}, "keep = 0"),
        ({"datasets": [{"name": "file", "path": "open.jsonl"}]}, {}, "has no known answer to"),
    ],
)
async def test_what_cannot_be_is_said_before_anything_is_called(
    refined, tmp_path, monkeypatch, changed, options, said
):
    monkeypatch.chdir(tmp_path)
    Path("open.jsonl").write_text('{"question": "Which is better?", "kind": "text"}\n')
    with pytest.raises(MootError, match=said):
        await refined(study=study(**changed), **options)
