"""Compressed records: what comes out went in, damage is noticed, dictionaries never change."""

import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import DamagedError
from moot.ledger import compression
from moot.ledger.compression import TRANSCRIPTS, VALUES, compress, decompress
from moot.ledger.stored_records import check_content

DICTIONARIES = {"values-1": 155296244, "transcripts-1": 4056408386}
"""The checksum of each dictionary of a released moot. Stores need it: none is ever edited."""


@given(
    st.sampled_from([VALUES, TRANSCRIPTS]),
    st.text().map(lambda text: f'{{"text":"{text}"}}'.encode(errors="replace")),
    st.integers(1, 3_000),
)
def test_a_record_comes_out_as_it_went_in(dictionary, content, times):
    whole = b"{" + content * times
    stored = compress(whole, dictionary)
    assert len(stored) <= len(whole)
    assert decompress(stored, "it") == whole
    assert decompress(stored, "it", 100) == whole[:100]


def test_a_record_of_an_older_moot_is_read_as_it_is():
    assert decompress(b'{"calls":1.0}', "it") == b'{"calls":1.0}'


def test_values_take_a_tenth():
    content = (Path(compression.__file__).parent / "dictionaries" / "values-1.txt").read_bytes()
    values = content[content.index(b"{") :].replace(b"null", b"0.25").replace(b"1.0", b"3.0")
    assert len(compress(values, VALUES)) < len(values) / 8


@pytest.mark.parametrize("place", [0, 1, 3, 7, 20, -1])
def test_a_changed_byte_is_noticed(place):
    content = b'{"calls":1.0,"cost":0.25,"accuracy":null}' * 20
    stored = bytearray(compress(content, VALUES))
    stored[place] ^= 0x5A
    with pytest.raises(DamagedError):
        check_content(bytes(stored), zlib.crc32(content), "it")


@pytest.mark.parametrize("size", [3, 6, 12, 30])
def test_a_record_that_was_cut_is_damaged(size):
    stored = compress(b'{"calls":1.0,"cost":0.25,"accuracy":null}' * 20, VALUES)
    with pytest.raises(DamagedError, match="it cannot be decompressed"):
        decompress(stored[:size], "it")


def test_a_record_names_its_dictionary(monkeypatch):
    stored = compress(b'{"calls":1.0,"cost":0.25,"accuracy":null}', VALUES)
    assert int.from_bytes(stored[2:6], "big") == DICTIONARIES["values-1"]
    monkeypatch.setattr(compression, "_dictionaries", dict)
    with pytest.raises(DamagedError, match="no dictionary of the checksum 09"):
        decompress(stored, "it")


def test_no_dictionary_of_a_released_moot_has_changed():
    folder = Path(compression.__file__).parent / "dictionaries"
    found = {file.stem: zlib.adler32(file.read_bytes()) for file in folder.iterdir()}
    assert found == DICTIONARIES


@pytest.mark.parametrize("dictionary", [VALUES, TRANSCRIPTS])
def test_a_dictionary_is_read_once_and_records_do_not_depend_on_each_other(dictionary, monkeypatch):
    one, other = b'{"calls":1.0,"cost":0.25}' * 9, b'{"accuracy":null}' * 9
    stored = compress(one, dictionary)
    monkeypatch.setattr(zlib, "compressobj", None)
    assert decompress(compress(other, dictionary), "it") == other
    assert compress(one, dictionary) == stored
