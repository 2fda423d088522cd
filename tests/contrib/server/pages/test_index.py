"""The index of a run's debates: filters, orders and cursors."""

from hypothesis import given
from hypothesis import strategies as st

from moot.contrib.server.pages.index import OUTCOMES, SHOWN, DebateFilter, DebateIndex
from moot.ledger.reader import ListedDebate, ListedValues

ARMS = ("single", "minds", "sc")


def held(number, arm, question, *, failed=False, dataset="sums", replicate=0, **values):
    return ListedDebate(number, arm, dataset, question, replicate, failed, ListedValues(**values))


DEBATES = st.lists(
    st.builds(
        lambda *key, **more: (key, more),
        st.sampled_from(ARMS),
        st.sampled_from(["sums", "other"]),
        st.sampled_from(["q1", "q2", "q10", "", "\x1f", "ä", "q1\x1f0"]),
        st.integers(0, 2),
        failed=st.booleans(),
        accuracy=st.sampled_from([None, 0.0, 1.0]),
        unparsed=st.sampled_from([0.0, 1.0]),
        right_to_wrong=st.sampled_from([None, 0.0, 2.0]),
        cost=st.sampled_from([None, 0.0, 0.1, 0.2]),
        prompt_tokens=st.sampled_from([None, 10.0, 20.0]),
        completion_tokens=st.just(5.0),
    ),
    unique_by=lambda each: each[0],
    max_size=30,
).map(
    lambda found: [
        held(n, arm, question, dataset=dataset, replicate=replicate, **more)
        for n, ((arm, dataset, question, replicate), more) in enumerate(found, 1)
    ]
)


@given(DEBATES, st.sampled_from(SHOWN), st.sampled_from(["", *ARMS]), st.booleans())
def test_every_chosen_debate_is_listed_once_whatever_the_page(debates, show, arm, dearest):
    index = DebateIndex(debates, ["single", "minds"])
    choice = DebateFilter(show=show, arm=arm, dearest=dearest)
    places = index.places(choice)
    assert len(places) == index.counts(choice)[show]
    whole = [index.lines[place] for place in places]
    paged, cursor = [], ""
    while True:
        start = index.after(places, cursor, choice) if cursor else 0
        page = whole[start : start + 3]
        paged += page
        if not page or any("\x1f" in part for part in map(str, page[-1].key)):
            break
        cursor = page[-1].cursor
    assert paged == whole[: len(paged)]
    assert len({line.number for line in whole}) == len(whole)
    if show in OUTCOMES:
        assert {line.outcome for line in whole} <= {show}
    if dearest:
        taken = [getattr(line, index.price) for line in whole]
        known = [value for value in taken if value is not None]
        assert known == sorted(known, reverse=True)
        assert taken[: len(known)] == known


def test_questions_stand_in_the_order_people_count_and_arms_in_that_of_the_study():
    asked = ("minds q10", "single q10", "minds q9", "single q9", "x q9")
    debates = [held(n, *each.split()) for n, each in enumerate(asked, 1)]
    index = DebateIndex(debates, ["single", "minds"])
    keys = [index.lines[place].key for place in range(5)]
    told = ["single q9", "minds q9", "x q9", "single q10", "minds q10"]
    assert [f"{key[0]} {key[2]}" for key in keys] == told


def test_the_dearest_are_found_by_money_only_where_some_was_spent():
    tokens = {"prompt_tokens": 5.0, "completion_tokens": 1.0}
    free = [held(n, "single", f"q{n}", cost=0.0, **tokens) for n in range(3)]
    assert DebateIndex(free, []).price == "tokens"
    assert DebateIndex([*free, held(9, "single", "q9", cost=0.1)], []).price == "cost"


def test_a_debate_is_found_by_its_cursor_alone():
    index = DebateIndex([held(1, "single", "q1"), held(2, "minds", "q1", replicate=3)], [])
    for place in (0, 1):
        assert index.find(index.lines[place].cursor) == place
    for wrong in ("", "nothing", "sums\x1fq1\x1fx\x1fsingle", "sums\x1fq1\x1f9\x1fsingle"):
        assert index.find(wrong) is None
    index = DebateIndex([], ["single"])
    assert len(index) == index.newest == index.failed == len(index.places(DebateFilter())) == 0
    assert index.outcomes("single", "sums") == {}
