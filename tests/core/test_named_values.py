"""Values by name: as a dictionary, in a quarter of its memory."""

from moot.core.named_values import NamedValues


def test_they_are_read_as_a_dictionary_is():
    values = NamedValues({"calls": 0, "cost": 1}, (2.0, None))
    assert values == {"calls": 2.0, "cost": None}
    assert (values["calls"], values.get("cost", 1.0), values.get("gone")) == (2.0, None, None)
    assert (list(values), list(values.values())) == (["calls", "cost"], [2.0, None])
    assert list(values.items()) == [("calls", 2.0), ("cost", None)]
    assert ("cost" in values, "gone" in values, len(values)) == (True, False, 2)
    assert {**values, "gone": 1.0} == {"calls": 2.0, "cost": None, "gone": 1.0}
