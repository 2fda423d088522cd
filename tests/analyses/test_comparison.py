"""Two runs beside each other."""

import msgspec
import pytest

from moot.analyses.comparison import compare_arms
from moot.core.errors import InputError, UnknownName
from moot.core.events import Closed, Opened, Transcript, Verdict
from moot.core.questions import Question
from moot.core.stored import Arm, StudyRow
from moot.statistics.accuracies import compare_paired, correct_by_holm
from moot.studies.lab import open_lab


def held(question, *, dataset="sums", arm="one", replicate=0, right=1.0, asked="", **values):
    """What is kept of one debate."""
    put = Question(id=question, kind="number", text=asked or f"What is {question}?", answer="4")
    opened = Opened(question=put, protocol="single", settings={}, pack="00", replicate=replicate)
    transcript = Transcript((opened, Closed(verdict=Verdict(answer="4", by="reply"))))
    usual = {"calls": 2.0, "prompt-tokens": 8.0, "completion-tokens": 2.0, "cost": 0.5}
    measured = usual | {"accuracy": right} | values
    return arm, dataset, question, replicate, transcript, measured


@pytest.fixture
def lab_of(tmp_path):
    """Opens a laboratory whose store has these runs, each named by its key."""

    async def made(**runs):
        async with open_lab(tmp_path) as lab:
            for key, (arms, debates) in runs.items():
                rows = tuple(Arm(name=name, protocol="single", settings={}) for name in arms)
                study = StudyRow(name=key, arms=rows, baseline=None, simulated=("pretended",))
                run = lab.store.begin_run(key, key, msgspec.json.encode(study))
                for debate in debates:
                    await lab.store.save_debate(run.id, *debate)
            await lab.store.flush()
        return open_lab(tmp_path, readonly=True)

    return made


def right(count, of, **options):
    return [held(f"q{k}", right=float(k < count), **options) for k in range(of)]


async def test_every_pair_of_a_dataset_is_corrected_for_all_of_them(lab_of):
    arms = ["one", "two", "here"]
    old = [debate for arm in arms for debate in right(0, 9, arm=arm)]
    new = [*right(9, 9), *right(7, 9, arm="two"), *right(9, 9, arm="there")]
    new += right(7, 9, arm="two", dataset="other")
    async with await lab_of(old=(arms, old), new=(["one", "two", "there"], new)) as lab:
        found = compare_arms(lab, "old", "new")
    assert [(each.dataset, each.first.arm) for each in found] == [("sums", "one"), ("sums", "two")]
    right_of = [{(f"q{k}", 0): float(k < count) for k in range(9)} for count in (0, 9, 7)]
    expected = correct_by_holm([compare_paired(right_of[k], right_of[0]) for k in (1, 2)])
    assert [each.difference for each in found] == expected
    assert expected[0].p < expected[0].p_holm


async def test_what_is_unknown_in_one_debate_is_unknown(lab_of):
    old = [held("q1"), held("q2", cost=None)]
    new = [held("q1"), held("q2", right=None)]
    async with await lab_of(old=(["one"], old), new=(["pretended", "one"], new)) as lab:
        (found,) = compare_arms(lab, "old", "new")
        assert (found.first.cost, found.first.accuracy.n, found.second.left_out) == (0.5, 1, 1)
        (own,) = compare_arms(lab, "old", arms=["one=one"])
        assert (own.first.cost, own.first.tokens) == (None, 10.0)
        assert not own.first.simulated


@pytest.mark.parametrize(
    ("first", "second", "arms", "said"),
    [
        ("old", None, [], "say which methods, as in --pair 'one=two'"),
        ("old", "other", [], "no method of the same name; say which to compare, as in --pair"),
        ("old", "empty", [], "run empty: no debate of these methods has ended yet"),
        ("old", "other", ["two=three"], "share no dataset: the first has sums, the second others"),
        ("old", "unknown", [], "share no question whose right answer is known"),
        ("old", "renewed", [], "question q0 of sums is not the same in runs old and renewed"),
    ],
)
async def test_what_cannot_be_compared_is_named(lab_of, first, second, arms, said):
    runs = {
        "old": (["one", "two"], [*right(1, 3), *right(1, 3, arm="two")]),
        "other": (["three"], right(1, 3, arm="three", dataset="others")),
        "unknown": (["one"], [held("q0", right=None)]),
        "empty": (["one"], []),
        "renewed": (["one"], right(1, 3, asked="Something else?")),
    }
    async with await lab_of(**runs) as lab:
        with pytest.raises(InputError, match=said.replace("?", r"\?")):
            compare_arms(lab, first, second, arms=arms)


@pytest.mark.parametrize("given", ["oen=two", "two=oen", "oen"])
async def test_an_unknown_arm_is_named_with_the_nearest(lab_of, given):
    async with await lab_of(run=(["one", "two"], right(1, 2))) as lab:
        with pytest.raises(UnknownName, match="unknown method 'oen'; did you mean 'one'"):
            compare_arms(lab, "run", arms=[given])
