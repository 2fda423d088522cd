import msgspec
import pytest

from moot.contrib.essays.rate.rankings import Rater
from moot.contrib.essays.rate.sheets import RatingPlan, make_sheets
from moot.contrib.essays.run_essays import Essay
from moot.core.errors import InputError, UnknownName
from moot.core.stored import Arm, RunRow, StudyRow


def row(arms="abc", stances=None):
    kinds = tuple(
        Arm(name=name, protocol="single", settings={"stance": stances[name]} if stances else {})
        for name in arms
    )
    study = msgspec.json.encode(StudyRow(name="s", arms=kinds, baseline=None))
    return RunRow(id=1, key="s-1", name="s", created=0.0, status="done", study=study)


def essays(n=5, arms="abc", replicates=2, but=()):
    return [
        Essay(
            dataset="d",
            question=f"q{q}",
            proposition=f"P{q}",
            arm=arm,
            replicate=r,
            text=f"{q}{arm}{r}",
        )
        for q in range(n)
        for r in range(replicates)
        for arm in arms
        if (q, arm, r) not in but
    ]


def choose(some, row, **given):
    return make_sheets(some, row, RatingPlan("s-1", **given))


def rater(name="Ann", seed=0):
    return Rater(1, 1, name, "key", seed, 0.0)


def test_a_sample_is_drawn_again_by_its_seed_and_in_any_order_of_the_essays():
    drawn = choose(essays(40), row(), sample=10, seed=3)
    again = choose(essays(40)[::-1], row(), sample=10, seed=3)
    assert [each.id for each in drawn.sheets] == [each.id for each in again.sheets]
    assert len({each.item for each in drawn.sheets}) == 10
    other = choose(essays(40), row(), sample=10, seed=4)
    assert {each.item for each in other.sheets} != {each.item for each in drawn.sheets}
    assert (drawn.found, drawn.lacking, drawn.arms) == (40, 0, ("a", "b", "c"))
    assert all(sheet.essays["b"].endswith("b0") for sheet in drawn.sheets)


def test_every_order_comes_about_as_often_and_stays():
    found = choose(essays(200), row(), sample=200)
    orders = ["".join(sheet.order(rater())) for sheet in found.sheets]
    assert set(orders) == {"abc", "acb", "bac", "bca", "cab", "cba"}
    assert min(map(orders.count, set(orders))) > 15
    assert orders == ["".join(sheet.order(rater())) for sheet in found.sheets]
    assert orders != ["".join(sheet.order(rater("Bo"))) for sheet in found.sheets]
    assert orders != ["".join(sheet.order(rater(seed=1))) for sheet in found.sheets]


def test_propositions_without_an_essay_of_every_arm_are_left_out_and_counted():
    some = essays(3, but=[(1, "b", 0)])
    found = choose(some, row())
    assert {each.item.question for each in found.sheets} == {"q0", "q2"}
    assert found.lacking == 1
    assert len(choose(some, row(), arms=["c", "a"]).sheets) == 3
    assert choose(some, row(), replicate=1).lacking == 0


def test_the_name_of_a_sheet_does_not_tell_whose_essay_is_which():
    texts = dict(zip("abc", "xyz", strict=True))
    names = {
        choose([msgspec.structs.replace(each, text=turned[each.arm]) for each in essays(1)], row())
        .sheets[0]
        .id
        for turned in (texts, dict(zip("abc", reversed(texts.values()), strict=True)))
    }
    assert len(names) == 1


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({"arms": ["a", "x"]}, UnknownName, "unknown arm with essays 'x'.*Valid: a, b, c"),
        ({"arms": ["a"]}, InputError, "between 2 and 9 .* there are a"),
        ({"replicate": 7}, InputError, "replicate 7"),
    ],
)
def test_what_cannot_be_compared_is_told(given, kind, told):
    with pytest.raises(kind, match=told):
        choose(essays(), row(), **given)


@pytest.mark.parametrize(
    ("stances", "arms", "stance"),
    [
        (None, "", "oppose"),
        ({"a": "support", "b": "support", "c": "oppose"}, "ab", "support"),
        ({"a": "support", "b": "support", "c": "oppose"}, "", None),
    ],
)
def test_what_essays_do_with_their_proposition(stances, arms, stance):
    assert choose(essays(), row(stances=stances), arms=arms).stance == stance
