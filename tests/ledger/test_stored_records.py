import math
import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.calls import Reply
from moot.core.encoding import replace_surrogates
from moot.core.errors import DamagedError
from moot.core.named_values import describe_surplus
from moot.ledger import compression, stored_records
from moot.ledger.compression import compress, decompress
from moot.ledger.stored_records import METRIC_NAMES, decode_values, encode_values, storable
from moot.metrics.metric import registry

ANY_TEXT = st.text(st.characters(exclude_categories=[]))  # lone surrogates too


@given(ANY_TEXT)
def test_any_text_can_be_stored_and_only_surrogates_change(text: str):
    cleaned = replace_surrogates(text)
    cleaned.encode()
    assert replace_surrogates(cleaned) == cleaned
    assert cleaned == text or any("\ud800" <= letter <= "\udfff" for letter in text)
    assert replace_surrogates("a\ud83d\ude00b\ud83d") == "a\U0001f600b\ufffd"


COUNT = st.none() | st.integers() | st.just(10**30)


NAMES = ("text", "prompt_tokens", "completion_tokens", "cached_tokens", "cost", "seconds")


@given(st.tuples(ANY_TEXT, COUNT, COUNT, st.integers(), st.none() | st.floats(), st.floats()))
def test_every_reply_can_be_stored_and_is_given_as_stored(values):
    given = Reply(**dict(zip(NAMES, values, strict=True)))
    cost, prompt = given.cost, given.prompt_tokens
    reply, encoded = storable(given)
    assert msgspec.json.decode(encoded, type=Reply) == reply
    assert reply.cost == cost if cost is not None and math.isfinite(cost) else reply.cost is None
    told = prompt if prompt is not None and 0 <= prompt < 2**53 else None
    assert reply.prompt_tokens == told


DICTIONARIES = {"values-1": 155296244, "transcripts-1": 4056408386}
"""The checksum of each dictionary of a released moot. Stores need it: none is ever edited."""

LISTED = 2828376315
"""The checksum of the first 85 metrics that are listed. Stores need their order."""


def pack(content, dictionary):
    """The stream of an older moot, which compressed values with a dictionary of their own."""
    folder = Path(compression.__file__).parent / "dictionaries"
    packer = zlib.compressobj(zdict=(folder / f"{dictionary}.txt").read_bytes())
    return packer.compress(content) + packer.flush()


@given(st.text(), st.integers(1, 3_000))
def test_a_record_comes_out_as_it_went_in(text, times):
    whole = b"{" + f'{{"text":"{text}"}}'.encode(errors="replace") * times
    stored = compress(whole)
    assert len(stored) <= len(whole)
    assert decompress(stored, "it") == whole
    assert decompress(stored, "it", 100) == whole[:100]


def test_no_dictionary_of_a_released_moot_has_changed():
    folder = Path(compression.__file__).parent / "dictionaries"
    found = {file.stem: zlib.adler32(file.read_bytes()) for file in folder.iterdir()}
    assert found == DICTIONARIES


def test_the_values_of_an_older_moot_are_read():
    values = {"calls": 1.0, "cost": None, "accuracy": 0.25, "gone": 2.0}
    content = msgspec.json.encode(values)
    for stored in (pack(content, "values-1"), content):
        assert decode_values(stored, zlib.crc32(content), "it") == values


@given(
    st.booleans(),
    st.dictionaries(
        st.sampled_from(["accuracy", "calls", "wall-seconds", "round:1"]) | st.text(max_size=9),
        st.none() | st.floats(allow_nan=False, allow_infinity=False),
    ),
)
def test_values_come_out_as_they_went_in(whole, some):
    values = (dict.fromkeys(METRIC_NAMES, 0.5) if whole else {}) | some
    stored = encode_values(values)
    assert decode_values(stored, zlib.crc32(stored), "it") == values


def test_every_metric_of_moot_is_listed_and_the_list_only_grows():
    names = METRIC_NAMES
    assert {*registry.names()} <= {*names}
    assert len({*names}) == len(names)
    assert zlib.crc32(" ".join(names[:85]).encode()) == LISTED


def test_values_of_a_newer_moot_are_read_and_the_unknown_ones_counted():
    many = len(METRIC_NAMES)
    stored = msgspec.json.encode(([*map(float, range(many)), 8.0, 9.0], {"round:1": 0.5}))
    found = decode_values(stored, zlib.crc32(stored), "it")
    assert found == dict(zip(METRIC_NAMES, range(many), strict=True)) | {"round:1": 0.5}
    assert found.surplus == 2
    said = "Written by a newer moot: 2 values of 2 debates not shown."
    assert describe_surplus([found, found, {}]) == said
    assert not describe_surplus([decode_values(encode_values(found), None, "it")])


RECORD = b'{"calls":1.0,"cost":0.25,"accuracy":null}' * 20


@pytest.mark.parametrize("place", [0, 1, 3, 7, 20, -1])
def test_a_changed_byte_and_a_cut_are_noticed(place):
    stored = bytearray(compress(RECORD))
    assert int.from_bytes(stored[2:6], "big") == DICTIONARIES["transcripts-1"]
    for size in (3, 6, 12, 30):
        with pytest.raises(DamagedError, match="it cannot be decompressed"):
            decompress(bytes(stored[:size]), "it")
    stored[place] ^= 0x5A
    with pytest.raises(DamagedError):
        stored_records.check_content(bytes(stored), zlib.crc32(RECORD), "it")
