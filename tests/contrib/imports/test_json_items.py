import io
import json
import tracemalloc

import pytest

from moot import InputError
from moot.contrib.imports import json_items
from moot.contrib.imports.json_items import JsonItems


@pytest.fixture
def notes():
    return []


@pytest.fixture
def read(notes):
    def make(content) -> JsonItems:
        data = content if isinstance(content, bytes) else content.encode()
        return JsonItems(io.BytesIO(data), "log.json", lambda *note: notes.append(note))

    return make


def test_members_of_an_object_and_of_a_list(read):
    assert list(read('{"a": 1, "b": [2, {"c": null}]}').read_members()) == [
        ("a", 1),
        ("b", [2, {"c": None}]),
    ]
    assert list(read("[1, [2], 3.5]").read_members()) == [(1, 1), (2, [2]), (3, 3.5)]
    assert list(read("{}").read_members()) == list(read(" [ ] ").read_members()) == []


def test_values_of_lines_have_their_lines(read):
    text = '{"a": 1}\n\n[2]\r\n"three"\n'
    assert list(read(text).read_values()) == [(1, {"a": 1}), (3, [2]), (4, "three")]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64])
def test_chunks_change_nothing(read, monkeypatch, chunk):
    monkeypatch.setattr(json_items, "_CHUNK", chunk)
    value = {
        "größe": [1234567.25, -3e-7, True, None, 'a\\"b\u2028\U0001f600'],
        "x": {"y": [[]] * 9},
    }
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        assert dict(read(text).read_members()) == value
    numbers = [10**each for each in range(30)]
    assert [each for _, each in read(json.dumps(numbers)).read_members()] == numbers


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1,\n "b": tru}', "line 2, column 7: Expecting value"),
        ('{"a": 1,\n "b" 2}', "line 2, column 6: ':' should stand here"),
        ("[1,\n2 3]", "line 2, column 3: ',' should stand here"),
        ("[1] 2", "line 1, column 5: the file should end here"),
        ('["a', "line 1, column 2: Unterminated string"),
        ('[{"a": [1, 2', "line 1, column 13: Expecting ',' delimiter"),
        ('{"a": 1', "line 1, column 8: ',' should stand here"),
        ("{1: 2}", "line 1, column 2: a key in quotes should stand here"),
        ("hello", "line 1, column 1: an object or a list of JSON should begin here"),
        ("", "line 1, column 1: an object or a list"),
        ('["a\nb"]', "line 1, column 4: Invalid control character"),
        ('["\\x"]', "line 1, column 3: Invalid \\escape"),
    ],
)
@pytest.mark.parametrize("chunk", [3, 1 << 18])
def test_a_fault_has_line_and_column(read, monkeypatch, text, place, chunk):
    monkeypatch.setattr(json_items, "_CHUNK", chunk)
    with pytest.raises(InputError) as raised:
        list(read(text).read_members())
    assert f"log.json, {place}" in str(raised.value)


def test_a_fault_far_into_the_file_has_its_line(read):
    good = [json.dumps({"text": "x" * 500}) for _ in range(2000)]
    text = "[\n" + ",\n".join([*good, '{"text": 01}']) + "\n]"
    with pytest.raises(InputError, match="line 2002, column 11"):
        list(read(text).read_members())


def test_a_byte_that_is_no_text_has_its_place(read):
    with pytest.raises(InputError, match=r"log.json, byte 4: no UTF-8 text"):
        list(read(b'["ab\xff"]').read_members())
    long = b'["' + b"a" * 400_000 + b'", "\xc3("]'
    with pytest.raises(InputError, match=f"byte {long.index(0xC3)}: no UTF-8"):
        list(read(long).read_members())
    with pytest.raises(InputError, match="byte 2"):
        list(read(b'["\xc3').read_members())


def test_byte_order_marks_are_no_text(read):
    assert list(read(b'\xef\xbb\xbf["\xc3\xa9"]').read_members()) == [(1, "é")]
    assert list(read('["é"]'.encode("utf-16")).read_members()) == [(1, "é")]


def test_what_others_write_beside_json_is_read_and_noted(read, notes):
    text = '[1,\n{"a": NaN, "b": -Infinity, "c": Infinity},\n{"a": 1, "a": 2},\n"\\ud83d"]'
    values = [each for _, each in read(text).read_members()]
    assert values == [1, {"a": None, "b": None, "c": None}, {"a": 2}, "\ufffd"]
    assert notes == [
        ("log.json, line 2", "NaN is no JSON: read as null"),
        ("log.json, line 2", "-Infinity is no JSON: read as null"),
        ("log.json, line 2", "Infinity is no JSON: read as null"),
        ("log.json, line 3", "the key 'a' stands twice in one object: the last counts"),
        ("log.json, line 4", "half a surrogate pair: read as U+FFFD"),
    ]


def test_whole_pairs_of_surrogates_stay(read, notes):
    assert list(read('["\\ud83d\\ude00"]').read_members()) == [(1, "\U0001f600")]
    assert notes == []


def test_a_question_that_stands_twice_is_read_twice_and_noted(read, notes):
    assert list(read('{"q": 1,\n"q": 2}').read_members()) == [("q", 1), ("q", 2)]
    assert notes == [("log.json, line 2", "the key 'q' stands twice")]


@pytest.mark.parametrize("depth", [65, 10_000, 2_000_000])
def test_deep_json_is_refused(read, depth):
    for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        with pytest.raises(InputError, match="more than 64 objects and lists within each other"):
            list(read(text).read_values())


def test_json_of_usual_depth_is_read(read):
    text = "[" * 64 + "]" * 64
    assert len(list(read(text).read_values())) == 1


def test_huge_texts_and_items_are_refused(read, monkeypatch):
    monkeypatch.setattr(json_items, "MOST_TEXT", 1000)
    assert list(read(json.dumps(["x" * 1000])).read_members())
    with pytest.raises(InputError, match="a text of more than"):
        list(read(json.dumps([["x" * 1001]])).read_members())
    with pytest.raises(InputError, match="a text of more than"):
        list(read(json.dumps([{"x" * 1001: 1}])).read_members())
    monkeypatch.setattr(json_items, "MOST_ITEM", 1 << 20)
    with pytest.raises(InputError, match="one item has more than 1 million characters"):
        list(read('["' + "x" * (3 << 20)).read_members())


def test_a_number_without_end_is_refused(read):
    with pytest.raises(InputError, match="limit"):
        list(read("[" + "1" * 5000 + "]").read_members())


def test_many_equal_keys_take_no_long_time(read, notes):
    text = "[{" + ",".join('"k": 1' for _ in range(200_000)) + "}]"
    assert list(read(text).read_members()) == [(1, {"k": 1})]
    assert len(notes) == 1


def test_memory_is_that_of_an_item_not_of_the_file(read):
    item = json.dumps({"text": "word " * 2000})
    data = ("[" + ",".join([item] * 6000) + "]").encode()  # 60 MB
    assert len(data) > 60_000_000
    items = read(data)
    tracemalloc.start()
    assert sum(1 for _ in items.read_members()) == 6000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000
