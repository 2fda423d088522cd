"""Every protocol does on recorded replies what it did, and a planted change is told."""

import pytest

from golden import debates, differences, groups, packed, surfaces, variants

HELP = "python tools/golden.py debates says all that differs"
SEQUENTIAL = "society-of-minds: sequential"


@pytest.fixture(scope="module")
def made():
    return debates.make()


@pytest.mark.parametrize("kind", groups.KINDS)
def test_every_protocol_does_on_recorded_replies_what_it_did(made, kind):
    assert groups.check("debates", made, kind) == [], HELP


def test_every_protocol_is_in_the_net():
    """Those on a library of others are held where that is installed."""
    assert variants.VARIANTS.keys() == surfaces.installed_protocols().keys()
    here = {name for name, installed in surfaces.installed_protocols().items() if installed}
    recorded = packed.read("debates.figures")
    assert {name.partition(": ")[0] for name in recorded} == here
    assert not [name for name, each in recorded.items() if "refused" in each]


def planted(kind="figures", name=SEQUENTIAL, **settings):
    """What the net says of one variant with other settings."""
    return groups.check("debates", debates.make([name], planted=settings), kind, 500, part=True)


def test_another_order_of_reading_is_told():
    told = planted(exchange="simultaneous")
    assert (
        "protocol society-of-minds, variant sequential, apples, replicate 0: event 8: "
        "reads 3 turns (2, 1, 3), before 3 turns (2, 4, 3)"
    ) in told


def test_another_seed_and_the_identities_it_changes_are_told():
    told = "\n".join(planted(seed=1))
    assert "event 0: settings seed is 1, before 0" in told
    assert "identities differ here" in told
    assert "variant sequential: the run key is" in told


def test_another_slot_of_a_prompt_is_told_by_its_words(tmp_path):
    (tmp_path / "mine.toml").write_text("[step.revise]\ntext = 'And now? {{ form }}'\n")
    told = planted("words", prompts=str(tmp_path / "mine.toml"))
    assert any("prompt of apples turn 4 of mind-1" in line and "And now?" in line for line in told)


def test_another_draw_is_told():
    before = packed.read("debates.figures")
    after = packed.plain({SEQUENTIAL: before[SEQUENTIAL]})
    calls = after[SEQUENTIAL]["calls"]
    place = next(iter(calls))
    calls[place]["draw"] = [0, 9, 0]
    found = differences.compare({SEQUENTIAL: before[SEQUENTIAL]}, after)
    [line] = [differences.tell_debate(each) for each in found]
    assert line.endswith("draw is [0, 9, 0], before [0, 0, 0]")
    assert line.startswith(f"protocol society-of-minds, variant sequential, call of {place}")


def test_packed_values_have_the_same_bytes_whatever_their_order(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "FOLDER", tmp_path)
    values = {"b": {"x": 0.1 + 0.2, "y": [1, None]}, "a": "ä"}
    packed.write("one", values)
    packed.write("two", dict(reversed(values.items())))
    assert (tmp_path / "one.jsonl.xz").read_bytes() == (tmp_path / "two.jsonl.xz").read_bytes()
    assert packed.read("one") == values
