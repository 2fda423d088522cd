import json

import pytest

from moot.core.errors import InputError
from moot.datasets import library
from moot.datasets.dataset import registry

PAGE = "https://web.archive.org/web/20200922/http://www.debatepedia.org/en/index.php/"
LOG = f"""{PAGE}Debate:_Is_%22tea%22_good%3F
{PAGE}Category:Tea
{PAGE}Debate:_Caf%C3%A9s_vs._bars
{PAGE}Argument:_Tea_is_warm
{PAGE}Debate:_Is_%22tea%22_good%3F
{PAGE}Resolved:_Tea_ought_to_be_free.
"""


def test_the_log_is_pinned_to_the_one_the_copy_is_made_of(shared_data):
    source = json.loads((shared_data / "debatepedia" / "SOURCE.json").read_bytes())
    [file] = registry.get("debatepedia").files
    assert (file.sha256, file.bytes) == (source["sha256"], source["files"][0]["bytes"])
    assert file.url.endswith(f"/{source['repo']}/{source['commit']}/{source['path']}")
    assert registry.get("debatepedia").rows == source["rows"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (LOG + "http://example.org/Debate:_Tea\n", 7),
        (LOG + PAGE + "\n", 7),
        ('{"id": "a", "topic": "Tea"}\n{"id": "b"}\n', 2),
    ],
)
def test_a_damaged_row_is_named_by_its_line(lay_in, text, line):
    lay_in("debatepedia", {"error": text})
    with pytest.raises(InputError, match=rf"error, line {line}: "):
        library.questions("debatepedia")


def test_titles_come_out_of_the_addresses_each_once(lay_in):
    lay_in("debatepedia", {"error": LOG})
    questions = library.questions("debatepedia")
    assert [(q.id, q.text) for q in questions] == [
        ("debatepedia-title-0000", 'Is "tea" good?'),
        ("debatepedia-title-0002", "Cafés vs. bars"),
        ("debatepedia-title-0005", "Resolved: Tea ought to be free."),
    ]
    assert {(q.kind, q.answer) for q in questions} == {("text", None)}
