"""Essays: their text, without what models put around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.contrib.essays.essay_text import read_essay

TEXT = "Museums need money.\n\nTherefore tickets must be sold."


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"Essay:\n{TEXT}",
        f"**Counterargumentative Essay:**\n\n{TEXT}",
        f"The Final Essay: {TEXT}",
        f"Here is the essay:\n\n{TEXT}",
        f"Sure! Here's an essay against it:\n\n## Essay\n\n{TEXT}",
        f"```\n{TEXT}\n```",
        f"Certainly:\n```markdown\n{TEXT}\n```\nI hope it helps.",
        f"```text\n{TEXT}",
        f"{TEXT}\n\nI hope this helps! Let me know if you want changes.",
        f"---\n\n{TEXT}\n\n---\n\nWord count: 350",
        f"Here is the essay:\n\n---\n\n{TEXT}",
        f"{TEXT}\n\n(350 words)\n\nWould you like me to shorten it?",
        f"**Introduction:** {TEXT.split(maxsplit=1)[0]}{TEXT[len('Museums') :]}",
        TEXT.replace("Therefore", "Counterargument: Therefore"),
    ],
)
def test_what_stands_around_an_essay_goes(reply):
    assert read_essay(reply) == TEXT


@pytest.mark.parametrize(
    "essay",
    [
        "The essay is an old form.",
        "# The price of free\n\nIt is high.",
        "Sure, it is free. But who pays?",
        "He wrote:\n\n```\ncode\n```\n\n" + "and went on. " * 30,
        "Essay",
        "It is so.\n\nI hope that museums stay open.",
        "## Conclusion\n\nThe conclusion: it is so.",
        "One.\n\n---\n\nTwo.",
    ],
)
def test_its_own_words_stay(essay):
    assert read_essay(essay) == essay.strip()


@pytest.mark.parametrize(
    "reply",
    [
        *("", " \n\t ", "Essay:\n"),
        *("```", "```text", "```\n```", "```\n\n```", "```md\n \n```\n", "Here it is:\n```\n```"),
    ],
)
def test_nothing_is_no_essay(reply):
    assert read_essay(reply) is None


@given(st.text())
def test_an_essay_is_stripped_text_or_none(reply):
    essay = read_essay(reply)
    assert essay is None or essay == essay.strip() != ""
