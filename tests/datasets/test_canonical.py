import pytest

from moot.datasets.canonical import to_canonical


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (r"$\frac{1}{2}$", r"\frac{1}{2}"), (r"\boxed{(3,4]}", "(3,4]"),
        (r"It is half, so \boxed{\frac12}. Not \boxed{", r"\frac12"),
        (r"We add. " * 99 + r"\[\boxed{5}\]", "5"),  # a worked solution, as MATH has it
        (0.5, "0.5"), (r"\frac{1", None), ("$$", None), ("x" * 501, None),
    ],
)  # fmt: skip
def test_mathematics_is_latex_without_its_marks(said, kept):
    assert to_canonical(said, "math", ()) == kept


METALS = ("iron", "gold", "tin", "zinc")
ANSWERS = {
    "choice": {
        "B": ["B", "b", "(B)", "B.", "B) gold", "B: gold", "**B**", "$B$", "'B'", '"gold"', "Gold"],
        None: ["E", "B gold and A", "'A' or 'B'", "**A** **B**", "''", "$"],
    },
    "number": {
        "18": ["18", "$18", "\\$18", "'18'", '"18"', "“18”", "`18`", "**18**", "$18$", "18%"],
        "1015": ["1,015", "We add them. #### 1,015", "<answer>1015</answer>"],
        "2.25": ["2 1/4", "2\\frac{1}{4}"],
        "-5": ["-5", "−5"],
        "1/2": ["1/2", "\\frac12", "$\\frac{1}{2}$"],
        None: ["12 cm", "5'", "3:1", "'18' or '19'", "(3, 4)", "~5", '""', "18 to 20"],
    },
    "boolean": {
        "true": ["true", "True.", "yes", "Yes.", "'true'", "**Yes**"],
        "false": ["no", '"False"', "no."],
        None: ["1", "t", "maybe", "yes and no", "no...", "'yes' 'no'"],
    },
}


@pytest.mark.parametrize(
    ("kind", "said", "kept"),
    [
        (kind, said, kept)
        for kind, answers in ANSWERS.items()
        for kept, forms in answers.items()
        for said in forms
    ],
)
def test_an_answer_may_be_dressed_where_that_cannot_be_misread(kind, said, kept):
    assert to_canonical(said, kind, METALS if kind == "choice" else ()) == kept
