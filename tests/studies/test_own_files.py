"""A file of the user's as a data set of a study, and in a terminal."""

import json

import pytest

import moot
from moot.core.errors import InputError, UnknownName
from moot.studies.plan import Plan
from moot.studies.study import load

STUDY = """
name = "mine"
[settings]
model = "scripted?reply=Final answer: B"
[[datasets]]
name = "file"
label = "birds"
path = "rows/birds.csv"
columns = { question = "ask", choices = ["a", "b"], answer = "label" }
[[datasets]]
name = "file"
label = "sums"
path = "rows/sums.jsonl"
kind = "number"
n = 2
[[arms]]
protocol = "single"
"""


@pytest.fixture
def folder(tmp_path):
    rows = tmp_path / "here" / "rows"
    rows.mkdir(parents=True)
    (rows / "birds.csv").write_text(
        "ask,a,b,label\nWhich flies?,emu,owl,B\nWhich runs?,emu,owl,A\n"
    )
    sums = [{"question": f"{n} + 1?", "answer": n + 1} for n in range(4)]
    (rows / "sums.jsonl").write_text("\n".join(map(json.dumps, sums)))
    (rows.parent / "mine.toml").write_text(STUDY)
    return rows.parent


async def test_a_study_asks_its_own_files_wherever_it_is_run_from(folder, tmp_path):
    outcome = await moot.run(folder / "mine.toml", store=tmp_path / "kept")
    accuracy = {arm.dataset: (arm.n, arm.accuracy.mean) for arm in outcome.results.arms}
    assert accuracy == {"birds": (2, 0.5), "sums": (2, 0.0)}
    moved = folder.rename(tmp_path / "there")
    assert Plan(load(moved / "mine.toml")).key == outcome.run


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        ("birds.csv", "bird.csv", InputError, r"mine\.toml: dataset 'birds': .*/bird\.csv can"),
        ('"label" }', '"lable" }', InputError, r"'birds': .*\.csv, line 2: unknown column 'lable"),
        ("question =", "qestion =", InputError, r"'birds': .*unknown key 'qestion'.*'question'"),
        ("kind =", "knd =", UnknownName, r"datasets\[2\]: unknown key 'knd'; did you mean 'kind'"),
        ('"number"', '"numbr"', InputError, r"datasets\[2\]: .*'kind': Expected one of"),
        ('path = "rows/sums.jsonl"\n', "", InputError, r"'sums': .*path is not given"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_before_anything_is_asked(folder, old, new, error, said):
    (folder / "mine.toml").write_text(STUDY.replace(old, new))
    with pytest.raises(error, match=said):
        Plan(load(folder / "mine.toml"))
