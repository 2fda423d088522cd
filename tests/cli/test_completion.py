"""What a shell completes, asked as a shell asks."""

import pytest

from support.commands import FOUR


@pytest.fixture
def complete(moot, tmp_path):
    """What is proposed for the last word of a command line."""

    def complete(*words):
        asked = {"_MOOT_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["moot", *words])}
        _, out, _ = moot(**asked, COMP_CWORD=str(len(words)), MOOT_STORE=str(tmp_path / "store"))
        return [line.partition(",")[2] for line in out.splitlines() if line]

    return complete


@pytest.mark.parametrize(
    ("words", "proposed"),
    [
        (["ask", "--protocol", "coun"], ["council"]),
        (["protocols", "society"], ["society-of-minds"]),
        (["ask", "--set", "aggregat"], ["aggregate=", "aggregations="]),
        (["run", "agreement-sum"], ["agreement-sums"]),
        (["data", "peek", "arith"], ["arithmetic"]),
        (["revi"], ["review"]),
    ],
)
def test_names_are_completed(complete, words, proposed):
    assert sorted(complete(*words)) == proposed


def test_runs_of_the_store_are_completed_and_no_store_has_none(complete, moot, tmp_path):
    assert complete("show", "") == []
    moot("ask", "2 + 2?", "--model", FOUR, "--store", str(tmp_path / "store"))
    [run] = complete("show", "as")
    assert run.startswith("ask-")
