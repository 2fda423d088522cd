"""Which essays a run has, and which debates left none."""

import pytest

import moot
from moot.analyses.recorded_runs import RecordedRuns
from moot.contrib.essays.run_essays import parse_arms, read_essays
from moot.core.calls import Reply
from moot.core.errors import InputError, UnknownName
from moot.core.questions import WITHHELD, Question
from moot.datasets.dataset import dataset, registry
from moot.models.scripted import Scripted
from moot.studies.lab import open_lab
from support.essays import hold_study, models


async def test_debates_that_left_no_essay_are_counted_and_a_cut_one_is_marked(tmp_path):
    def says(call):
        if call.draw.replicate == 0:
            return ValueError("failing")
        if call.draw.replicate == 1:
            return " "
        return Reply(text="An essay cut", finish="length")

    own = [*models()[:1], Scripted(says, name="rich")]
    key = await hold_study(tmp_path, models=own)
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        found = read_essays(RecordedRuns(lab, [key]))
    assert found.lost["town", "rich"] == {"failed": 3, "empty": 3}
    assert [each.cut for each in found.essays if each.arm == "rich"] == [True] * 3


def test_an_arm_whose_name_has_a_comma_can_be_named_between_commas():
    known = ["write", "write, no personas", "plain", "a,b"]
    for given, meant in (
        (["write", "no personas", "plain"], ("write, no personas", "plain")),
        (["plain", "write", "write", "no personas"], ("plain", "write", "write, no personas")),
        (["a", "b", "plain", "plain"], ("a,b", "plain")),
        ([], ()),
    ):
        assert parse_arms(given, known, where="here") == meant
    with pytest.raises(UnknownName, match="unknown arm 'no personas'"):
        parse_arms(["plain", "no personas"], known, where="here")


async def test_of_a_secret_proposition_no_word_is_kept_and_no_essay_found(tmp_path, monkeypatch):
    registry.names()
    monkeypatch.setattr(registry, "_found", dict(registry._found))

    @dataset(kinds=("text",), rows=1)
    def hidden():
        """One that nobody is to see."""
        yield Question(id="h", kind="text", text="Moles should vote", answer="No", secret=True)

    study = {
        "name": "hidden",
        "datasets": [{"name": "hidden"}],
        "arms": [{"protocol": "essay-direct", "model": "scripted/mole"}],
    }
    mole = Scripted(["Moles dig. They may not."], name="mole")
    outcome = await moot.run(study, store=tmp_path, models=[mole])
    async with open_lab(tmp_path, readonly=True) as lab:
        row = lab.store.find_run(outcome.run)
        [held] = lab.store.debates(row.id)
        assert held.transcript.verdict.answer == WITHHELD
        assert "Moles" not in repr(held.transcript)
        with pytest.raises(InputError, match="no debate of it is on a proposition"):
            read_essays(RecordedRuns(lab, [outcome.run]))
