"""What a TOML file says, or where it is wrong."""

import pytest

from moot.core.errors import InputError
from moot.core.toml import parse_toml


def test_tables_and_newlines_of_every_system():
    assert parse_toml(b'a = 1\r\nb = """x\r\ny"""\r\n', where="f") == {"a": 1, "b": "x\ny"}


def test_a_byte_order_mark_is_skipped():
    assert parse_toml(b"\xef\xbb\xbfa = 1", where="f") == {"a": 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a = ", r"f: not TOML: Invalid value \(at end of document\)"),
        (b"a = '\xff'", r"f: not UTF-8 \(byte 0xff at place 5\): save the file as UTF-8"),
        ("a = 1".encode("utf-16"), "f: UTF-16, not UTF-8: save the file as UTF-8"),
        ("a = 1".encode("utf-16-le"), "f: UTF-16, not UTF-8: save the file as UTF-8"),
        (b"a = " + b"[" * 3000, "f: not TOML that can be read: nested too deeply"),
        (b"a = " + b"9" * 5000, "f: not TOML: Exceeds the limit"),
        (b"[t]\na = 0x1" + b"0" * 16, "f: t.a: an integer of more than 64 bits"),
        (b"[[t]]\na = [1, 9223372036854775808]", "f: t.a: an integer of more than 64 bits"),
    ],
)
def test_what_is_no_toml_is_told(content, said):
    with pytest.raises(InputError, match=f"^{said}"):
        parse_toml(content, where="f")
