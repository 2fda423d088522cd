"""The page docs/datasets.md says what is so."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from moot.core.errors import InputError
from moot.datasets import library
from moot.datasets.dataset import registry
from moot.datasets.example_rows import read_examples
from moot.datasets.published import describe_dataset

PAGE = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## ([a-z0-9-]+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
WEATHER = b'{"ask": "Is snow cold?", "yes": true}\n{"ask": "Is fog dry?", "yes": false}\n'


def blocks(language, text=PAGE):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_every_dataset_has_its_section_with_its_parameters_licence_and_paper():
    for entry in library.list_entries():
        section = SECTIONS[entry.name]
        [row] = re.findall(rf"^\| \[`{entry.name}`\].*", PAGE, re.MULTILINE)
        assert entry.licence in row
        source = registry.get(entry.name)
        assert str(entry.rows or ("drawn" if source.is_drawn else "yours")) in row
        assert all(kind in row for kind in entry.kinds)
        assert all(paper in PAGE for paper in entry.paper.split(", "))
        for name, schema in entry.parameters.items():
            assert re.search(rf"^\| `{name}` \| `?{schema['default']}`? \| ", section, re.MULTILINE)
        if not entry.parameters:
            assert "no parameters" in section


def test_the_example_is_a_dataset_in_under_40_lines(own_names, tmp_path):
    [code] = [block for block in blocks("python") if "@dataset(" in block]
    assert len(code.splitlines()) < 40
    exec(compile(code, "weather.py", "exec"), {"__name__": "weather"})  # as an import would
    [file] = registry.get("weather").files
    assert (file.sha256, file.bytes) == (sha256(WEATHER).hexdigest(), len(WEATHER))
    (tmp_path / "weather.jsonl").write_bytes(WEATHER)
    library.add("weather", tmp_path)
    assert [q.answer for q in library.questions("weather")] == ["true", "false"]
    assert library.peek("weather", 1, polite=True)[0].text == "Please say: Is snow cold?"
    with pytest.raises(InputError, match="'polite': Expected `bool`"):
        library.questions("weather", polite="yes")


def test_the_description_shown_makes_a_dataset(own_names, tmp_path):
    [text] = [block for block in blocks("toml") if "[[files]]" in block]
    (tmp_path / "birds.toml").write_text(text)
    made = describe_dataset(tmp_path / "birds.toml")
    assert (made.name, made.kinds, made.files[0].name) == ("birds", ("choice",), "birds.jsonl")


def test_examples_are_read_and_chosen_as_shown(tmp_path, capsys):
    pytest.importorskip("wordllama")
    section = PAGE.partition("## Training parts and examples\n")[2].partition("\n## ")[0]
    [line], [code] = blocks("json", section), blocks("python", section)
    (tmp_path / "mine.jsonl").write_text(line)
    [mine] = read_examples(tmp_path / "mine.jsonl")
    assert (mine.question.kind, mine.question.answer) == ("choice", "B")
    exec(compile(code, "examples.py", "exec"), {})
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 3
    assert shown[0].endswith("'Which of these animals lays eggs?']")  # the nearest comes last
