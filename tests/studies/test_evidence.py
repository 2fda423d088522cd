"""Documents as evidence in a study: beside its file, there before it runs, part of what it is."""

import pytest

from moot.core.errors import InputError
from moot.studies.plan import Plan
from moot.studies.study import load

STUDY = """
name = "argued"
[settings]
model = "simulated"
[[datasets]]
name = "arithmetic"
n = 1
[[arms]]
protocol = "essay-plan"
evidence = "docs"
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/fees.md").write_text("Museums live on fees.\n")
    made = tmp_path / "study.toml"
    made.write_text(STUDY)
    return made


def test_a_folder_stands_beside_the_file_of_the_study(file):
    study = load(file)
    assert study.arms[0].settings["evidence"] == str(file.parent / "docs")


def test_other_documents_make_another_run(file):
    before = Plan(load(file)).key
    assert Plan(load(file)).key == before
    (file.parent / "docs/more.txt").write_text("And on gifts.\n")
    assert Plan(load(file)).key != before


def test_a_folder_that_is_not_there_is_told_with_its_arm(file):
    (file.parent / "docs").rename(file.parent / "elsewhere")
    with pytest.raises(InputError) as error:
        Plan(load(file))
    assert "arm 'essay-plan': evidence = " in str(error.value)
    assert "there is no such folder" in str(error.value)
