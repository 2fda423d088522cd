import pytest

from moot.core.errors import InputError
from moot.datasets import library

ROWS = (
    *("anatomy", "clinical_knowledge", "college_medicine", "medical_genetics"),
    *("professional_medicine", "college_biology"),
)
HEADER = "question,choice0,choice1,choice2,choice3,answer\n"


def test_the_development_part_gives_five_examples_of_each_subject(tmp_path):
    with pytest.raises(InputError, match=r"part's files are missing.*moot data fetch mmlu"):
        library.training("mmlu")
    for subject in ROWS:
        rows = "".join(f"{subject} {row}, a ,b,c,d,{row % 4}\n" for row in range(5))
        (tmp_path / f"{subject}_dev.csv").write_text(HEADER + rows)
        library.add("mmlu", tmp_path / f"{subject}_dev.csv", force=True)
    (tmp_path / "anatomy_test.csv").write_text(HEADER)  # a test part that is not whole stays away
    with pytest.raises(InputError, match=r"contains a file clinical_knowledge_test\.csv"):
        library.add("mmlu", tmp_path, force=True)
    ids = [f"mmlu-training-{subject}-{row}" for subject in ROWS for row in range(1, 6)]
    assert [each.question.id for each in library.training("mmlu")] == ids
    alone = library.training("mmlu", subject="anatomy")
    assert [each.question.text for each in alone] == [f"anatomy {row}" for row in range(5)]
    assert [each.question.answer for each in alone] == ["A", "B", "C", "D", "A"]
