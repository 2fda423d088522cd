"""What results say of a dataset that is a part of what its name stands for."""

import csv

import moot
from moot.analyses.method_table import build_method_table
from moot.core.results import Results
from moot.datasets.parts import describe_part
from moot.reports.latex import latex_table

SIX = (
    *("anatomy", "clinical_knowledge", "college_biology", "college_medicine"),
    *("medical_genetics", "professional_medicine"),
)


def test_the_ids_of_questions_say_which_subjects_they_are_of():
    every = [f"mmlu-{subject}-{number}" for subject in SIX for number in (1, 2)]
    assert describe_part(every) == "6 of the 57 subjects of MMLU (clinical ones)"
    one = describe_part(["mmlu-college_biology-144"])
    assert one == "1 of the 57 subjects of MMLU (college biology)"
    for whole in (
        [],
        ["mmlu-1", "mmlu-2"],
        ["gsm8k-1"],
        ["mmlu-anatomy-1x"],
        ["my-mmlu-anatomy-1"],
    ):
        assert describe_part(whole) == ""


def run(tmp_path, ids, label) -> Results:
    file = tmp_path / f"{label}.csv"
    with file.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "question", "choices", "answer"])
        rows.writerows([each, f"{each}?", "iron|gold", "A"] for each in ids)
    study = {
        "name": label,
        "settings": {"model": "simulated/people"},
        "datasets": [{"name": "file", "path": str(file), "label": label}],
        "arms": [{"protocol": "single"}, {"protocol": "society-of-minds"}],
    }
    return moot.run_sync(study, store=tmp_path).results


def test_table_and_latex_say_that_a_dataset_is_a_part_whatever_it_is_called(tmp_path):
    results = run(tmp_path, [f"mmlu-{subject}-1" for subject in SIX], "MMLU")
    said = "MMLU: 6 of the 57 subjects of MMLU (clinical ones)."
    table = build_method_table(results)
    assert said in table.note
    assert said in " ".join(" ".join(latex_table(table)).split())
    own = run(tmp_path, ["mmlu-1", "mmlu-2"], "own")
    assert "57" not in build_method_table(own).note
