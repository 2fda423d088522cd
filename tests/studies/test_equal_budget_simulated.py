"""Debates of simulated populations, whose truth is known, beside draws of equal budget."""

import json

import pytest

import moot
from moot.studies.lab import open_lab
from moot.studies.study_run import compute_results


def study(tmp_path, model, *arms, n=250):
    rows = tmp_path / "rows.jsonl"
    asked = [{"question": f"Is it so, {k}?", "answer": ("false", "true")[k % 2]} for k in range(n)]
    rows.write_text("\n".join(map(json.dumps, asked)))
    return {
        "name": "trial",
        "settings": {"model": model},
        "datasets": [{"name": "file", "path": str(rows), "kind": "boolean"}],
        "arms": list(arms),
        "prices": {model: {"input": 1.0, "output": 5.0}},
    }


async def test_a_vote_by_another_name_is_the_baseline_itself(tmp_path):
    """A society of one round is five draws: of equal budget are just these, and no other."""
    made = study(
        tmp_path,
        "simulated/people?accuracy=0.6",
        {"protocol": "self-consistency", "samples": 9},
        {"protocol": "society-of-minds", "rounds": 1, "agents": 5},
        n=60,
    )
    vote, society = (await moot.run(made, store=tmp_path / "store")).results.arms
    assert vote.budget == ()
    assert [each.matched for each in society.budget] == ["tokens", "cost"]
    for each in society.budget:
        assert (each.samples, each.short, each.pool) == (5.0, 0, "self-consistency")
        assert each.accuracy == society.accuracy
        assert (each.difference.better, each.difference.worse, each.difference.p) == (0, 0, 1.0)
    assert society.budget[0].spent == society.tokens
    assert society.budget[1].spent == pytest.approx(society.cost.mean)


@pytest.mark.parametrize(("drift", "gains"), [(0.0, False), (0.9, True)])
async def test_a_planted_gain_is_found_and_none_where_there_is_none(tmp_path, drift, gains):
    """Two answers and beliefs symmetric around one half: neither debate nor vote gains."""
    made = study(
        tmp_path,
        f"simulated/people?accuracy=0.5&truth_drift={drift}",
        {"protocol": "society-of-minds"},
        {"protocol": "self-consistency", "samples": 18},
    )
    outcome = await moot.run(made, store=tmp_path / "store")
    society, _ = outcome.results.arms
    for each in society.budget:
        assert each.difference.pairs == 250
        assert each.samples > 6
        assert each.short == 0
        assert (each.difference.p < 1e-6) is gains
        assert gains is (each.difference.low > 0)
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        assert compute_results(lab, outcome.run) == outcome.results
