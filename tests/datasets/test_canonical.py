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
