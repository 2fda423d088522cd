from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import pytest
from msgspec import Meta

from moot.core.errors import InputError, UnknownName
from moot.core.questions import Question
from moot.datasets.dataset import File, dataset, registry


def test_a_function_becomes_a_dataset_with_its_name_summary_and_parameters(own_names):
    @dataset(kinds=("text",), rows=1, files=(File(name="a", url="", sha256="", bytes=0),))
    def some_words(
        path: Path,
        *,
        share: Annotated[float, Meta(ge=0, le=1, description="how much")] = 0.5,
        order: Literal["up", "down"] = "up",
    ) -> Iterator[Question]:
        """Some words.

        More about them.
        """
        yield Question(id="1", kind="text", text=f"{path} {share} {order}")

    assert registry.get("some-words") is some_words
    assert some_words.name == "some-words"
    assert some_words.summary == "Some words."
    share = {"type": "number", "minimum": 0, "maximum": 1, "description": "how much"}
    order = {"enum": ["down", "up"], "default": "up"}
    assert some_words.parameters == {"share": share | {"default": 0.5}, "order": order}
    assert not some_words.is_drawn
    assert some_words.check_settings({}) == {"share": 0.5, "order": "up"}
    assert some_words.check_settings({"share": 1}) == {"share": 1, "order": "up"}
    [question] = some_words.read(Path("p"), share=1, order="up")
    assert question.text == "p 1 up"


def test_a_wrong_parameter_is_an_error_that_names_it_and_what_is_right():
    arithmetic, ciar = registry.get("arithmetic"), registry.get("ciar")
    with pytest.raises(UnknownName, match=r"'arithmetic'.*'dificulty'.*mean 'difficulty'"):
        arithmetic.check_settings({"dificulty": 1})
    with pytest.raises(UnknownName, match="seed"):
        arithmetic.check_settings({"seed": 1})  # it is an argument of its own, not a parameter
    wrong = {5: "<= 4", 0: ">= 1", "two": "got `str`", "5": "<= 4", 1.5: "1.5"}
    for value, why in (*wrong.items(), (True, "`bool`")):
        with pytest.raises(InputError, match=f"'arithmetic', parameter 'difficulty'.*{why}"):
            arithmetic.check_settings({"difficulty": value})
    with pytest.raises(
        InputError, match="'format': Expected one of 'choice', 'open'; got 'closed'"
    ):
        ciar.check_settings({"format": "closed"})
    assert arithmetic.check_settings({"difficulty": "2"}) == {
        "difficulty": 2
    }  # a command line's text


def test_a_dataset_must_be_a_list_or_a_draw():
    def endless(*, seed: int = 0) -> Iterator[Question]:
        yield from ()

    def fixed() -> Iterator[Question]:
        yield from ()

    with pytest.raises(TypeError, match="endless"):
        dataset(kinds=("text",), rows=3)(endless)
    with pytest.raises(TypeError, match="fixed"):
        dataset(kinds=("text",))(fixed)
