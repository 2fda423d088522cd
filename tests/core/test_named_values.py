"""Values by name: as a dictionary, in a quarter of its memory."""

from sys import getsizeof
from zlib import crc32

from moot.core.named_values import NamedValues
from moot.ledger.stored_records import decode_values, encode_values, list_metrics


def read(values):
    stored = encode_values(values)
    return decode_values(stored, crc32(stored), "it")


def test_they_are_read_as_a_dictionary_is():
    values = NamedValues({"calls": 0, "cost": 1}, (2.0, None))
    assert values == {"calls": 2.0, "cost": None}
    assert (values["calls"], values.get("cost", 1.0), values.get("gone")) == (2.0, None, None)
    assert (list(values), list(values.values())) == (["calls", "cost"], [2.0, None])
    assert list(values.items()) == [("calls", 2.0), ("cost", None)]
    assert ("cost" in values, "gone" in values, len(values)) == (True, False, 2)
    assert {**values, "gone": 1.0} == {"calls": 2.0, "cost": None, "gone": 1.0}


def test_debates_with_the_same_names_share_them():
    # A dictionary grows in steps, so the share is that of so many names.
    plain = dict.fromkeys([*list_metrics()][:90], 1.0) | {"round:1": 0.5}
    one, two, other = read(plain), read(plain | {"calls": 3.0}), read(plain | {"round:2": 0.5})
    assert one.places is two.places
    assert one.places is not other.places
    assert getsizeof(one) + getsizeof(one.sequence) < getsizeof(plain) / 4
