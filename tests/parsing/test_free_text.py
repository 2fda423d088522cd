import pytest

from moot.parsing.free_text import read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I think so.", "I think so."), ("Reason.\n\nFinal answer: it is so.\n", "it is so."),
        ("The answer is **Paris**", "Paris"),
        ("Final answer: London\n\nNo. Final answer: Paris", "Paris"),
        ('The answer is "Paris".', "Paris"), ("Final answer: “Paris”!", "Paris"),
        ('Final answer: **"Paris"**.', "Paris"), ("The answer is 'Paris'.", "Paris"),
        ("Final answer: the 'City of Light'.", "the 'City of Light'."),
        ("The answer is wrong.", None), ("Final answer: X", None),
        ("Final answer: <your answer>", None),
        ('{"reason": "r", "debate_answer": "Paris"}', "Paris"), ('{"debate_answer": ""}', None),
        ("{'answer': 'It's Paris', 'reason': 'r'}", "It's Paris"),
        ('{"answer": "the \\"City of Light\\"" }', 'the \\"City of Light\\"'),
        ("word " * 200_000 + "\nFinal answer: Paris", "Paris"),
        ("Final answer: Paris\n" + "word " * 200_000, "Paris"), ("", None),
    ],
)  # fmt: skip
def test_the_words_under_the_last_marker_or_all_of_them(text: str, words: str | None) -> None:
    assert read(text, finished=True) == words


def test_words_cut_off_are_no_answer() -> None:
    assert read("I think s", finished=False) is None
    assert read("Final answer: Par", finished=False) is None
    assert read("Final answer: Paris\nBecause", finished=False) == "Paris"
