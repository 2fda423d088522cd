"""Byte-order marks are dropped, and other encodings are named."""

import codecs

import msgspec
import pytest

from moot.core.encoding import describe_not_json, describe_other_encoding, drop_mark
from moot.core.errors import describe_not_utf8


def test_only_a_mark_at_the_beginning_is_dropped():
    assert drop_mark(codecs.BOM_UTF8 + "{\ufeff}".encode()) == "{\ufeff}".encode()
    assert drop_mark(b"{}") == b"{}"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_other_encodings_are_named(encoding):
    said = describe_other_encoding('{"a": 1}'.encode(encoding))
    assert said.startswith(("UTF-16, not UTF-8: save", "UTF-32, not UTF-8: save"))


@pytest.mark.parametrize("content", [b"", b"{}", b"\xef\xbb\xbf{}", b"a\0b", "é".encode()])
def test_utf_8_is_not_named(content):
    assert describe_other_encoding(content.replace(b"a\0", b"ab\0")) == ""


def test_what_is_not_utf_8_is_named_by_its_encoding_or_its_byte():
    with pytest.raises(UnicodeDecodeError) as caught:
        "a = 1".encode("utf-16").decode()
    assert describe_not_utf8(caught.value) == "UTF-16, not UTF-8: save the file as UTF-8"
    with pytest.raises(UnicodeDecodeError) as caught:
        b"caf\xe9".decode()
    assert describe_not_utf8(caught.value).startswith("not UTF-8 (byte 0xe9 at place 3)")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": NaN, "b": Infinity}', "NaN is no value of JSON: write null"),
        (b'{"a": -Infinity', "-Infinity is no value of JSON: write null"),
        ('{"a": 1}'.encode("utf-16"), "UTF-16, not UTF-8: save the file as UTF-8"),
        (b'{"a": NULL}', "JSON is malformed: invalid character (byte 6)"),
        (b"", "Input data was truncated"),
    ],
)
def test_the_reason_of_no_json_is_told(content, said):
    with pytest.raises(msgspec.DecodeError) as caught:
        msgspec.json.decode(content)
    assert describe_not_json(caught.value, content) == said
