from hypothesis import given
from hypothesis import strategies as st

from moot.parsing.same import majority

ANSWERS = st.lists(st.sampled_from(["1/2", "0.5", "2/4", "1", "1.0", "2", None]), max_size=9)


def test_equal_values_pool_under_the_first_spelling() -> None:
    assert majority(["1", "1/2", "0.5", "3"], "number") == ("1/2", {"1": 1, "1/2": 2, "3": 1})


def test_an_unparsed_answer_has_no_vote() -> None:
    assert majority([None, None, "B", None], "choice") == ("B", {"B": 1})
    assert majority([None, None], "choice") == (None, {})
    assert majority([], "choice") == (None, {})


def test_a_tie_goes_to_the_first_to_appear() -> None:
    assert majority(["B", "A", "A", "B"], "choice")[0] == "B"
    assert majority([None, "A", "B"], "choice")[0] == "A"


@given(ANSWERS)
def test_every_answer_votes_once_and_none_never_wins(answers: list[str | None]) -> None:
    winner, votes = majority(answers, "number")
    assert sum(votes.values()) == sum(answer is not None for answer in answers)
    assert winner in votes or (winner is None and not votes)
    assert not votes or votes[winner or ""] == max(votes.values())


@given(ANSWERS.flatmap(lambda answers: st.tuples(st.just(answers), st.permutations(answers))))
def test_the_order_of_seats_decides_nothing_but_ties(
    both: tuple[list[str | None], list[str | None]],
) -> None:
    (winner, votes), (other, others) = (majority(answers, "number") for answers in both)
    assert sorted(votes.values()) == sorted(others.values())
    if list(votes.values()).count(max(votes.values(), default=0)) == 1:
        assert majority([winner, other], "number")[1] == {winner: 2}
