"""A first study, and a method of one's own, are written and run as they are."""

from typing import NamedTuple

import pytest

from moot.studies.study_file import load
from support.commands import run_command

TABLE = "Prompt;A;B;Gold\n" + "".join(f"Which, {n}?;x;y;{'AB'[n % 2]}\n" for n in range(12))


class Ran(NamedTuple):
    exit_code: int
    out: str
    err: str

    @property
    def output(self):
        return " ".join((self.out + self.err).split())


@pytest.fixture
def moot(tmp_path):
    return lambda *words: Ran(*run_command(tmp_path, *words))


@pytest.fixture(autouse=True)
def _there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_first_study_of_a_table_runs_as_it_was_written(moot, tmp_path):
    (tmp_path / "birds.csv").write_text(TABLE)
    made = moot("init", "first", "--questions", "birds.csv", "--model", "simulated/people")
    assert made.exit_code == 0, made.output
    assert "question is 'Prompt', answer is 'Gold', choices is 'A', 'B'" in made.output
    assert "moot run first.toml" in made.output
    study = load(tmp_path / "first.toml")
    assert (study.name, study.datasets[0].n, study.budget.calls) == ("first", 12, 2000)
    assert study.datasets[0].parameters["columns"]["A"] == "A"
    assert [arm.protocol for arm in study.arms][:3] == [
        "single", "self-consistency", "society-of-minds",
    ]  # fmt: skip
    assert len(study.arms) == 4  # the vote of equal tokens
    ran = moot("run", "first.toml", "--limit", "2", "--yes")
    assert ran.exit_code == 0, ran.output


def test_nothing_is_written_over(moot, tmp_path):
    (tmp_path / "study.toml").write_text("mine")
    made = moot("init")
    assert made.exit_code == 2
    assert "study.toml is there already; give another name: moot init NAME" in made.output
    assert (tmp_path / "study.toml").read_text() == "mine"
    (tmp_path / "looks.toml").write_text("mine")
    assert moot("init", "--method", "looks").exit_code == 2
    assert not (tmp_path / "looks.py").exists()


def test_a_dataset_is_taken_by_its_name_and_sums_without_one(moot, tmp_path):
    assert moot("init", "a", "--questions", "starters").exit_code == 0
    assert (load(tmp_path / "a.toml", model="simulated/x").datasets[0].n) == 40
    assert moot("init", "b").exit_code == 0
    assert load(tmp_path / "b.toml", model="simulated/x").datasets[0].name == "arithmetic"
    wrong = moot("init", "c", "--questions", "none.csv")
    assert (wrong.exit_code, "no such file, and no dataset" in wrong.output) == (2, True)


def test_a_method_answers_as_it_was_written(moot, tmp_path):
    made = moot("init", "--method", "my-looks")
    assert made.exit_code == 0, made.output
    asked = moot("ask", "2 + 2?", "--protocol", "./my-looks.py", "--model", "simulated/people")
    assert asked.exit_code == 0, asked.output
    assert "2 calls" in asked.output
    assert moot("init", "--method", "1st").exit_code == 2
