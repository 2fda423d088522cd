"""Matches are rated by both debates, and what jurors favour is found where it is planted."""

from itertools import permutations
from random import Random

import pytest

import moot
from moot.contrib.league.league_matches import SidedDebate, find_sign, weigh_jurors
from moot.contrib.league.league_scores import EVEN_RATING, measure_league
from moot.contrib.league.match_ruling import MatchRuling

SIDES = ("PRO", "CON")


def rule(margin, first="PRO"):
    """A ruling with this margin towards PRO."""
    winner = "tie" if not margin else "PRO" if margin > 0 else "CON"
    return MatchRuling(winner=winner, margin=abs(float(margin)), first=first)


def debate(pro, con, motion, margins, *, first="PRO", failed=False):
    """A debate; the margins of its jurors are towards PRO, None for one that cannot be read."""
    rulings = {
        f"juror {number}": None if margin is None else rule(margin, first)
        for number, margin in enumerate(margins, 1)
    }
    place = ("own", str(motion))
    return SidedDebate(
        motion=place,
        text=f"Motion {motion}",
        match=(*place, 0),
        pro=pro,
        con=con,
        rulings=rulings,
        left_out=0,
        kin=False,
        failed=failed,
        address=("run", f"{pro} against {con}", *place, 0),
    )


def match(one, other, motion, margin, **more):
    """Both debates of a match, with this margin towards the first player."""
    return [
        debate(one, other, motion, [margin], **more),
        debate(other, one, motion, [-margin], **more),
    ]


def ratings(debates):
    return {each.player: each.rating for each in measure_league(debates).ratings}


def test_three_wins_to_one_are_190_8_points_without_a_ridge(monkeypatch):
    monkeypatch.setattr("moot.contrib.league.league_scores.RIDGE", 0.0)
    debates = [each for motion in range(3) for each in match("a", "b", motion, 2)]
    found = ratings([*debates, *match("a", "b", 3, -2)])
    assert found["a"].mean - found["b"].mean == pytest.approx(190.8, abs=0.05)
    assert found["a"].mean + found["b"].mean == pytest.approx(2 * EVEN_RATING)


def test_a_juror_that_prefers_what_stands_first_leaves_all_even():
    debates = []
    for motion in range(6):
        first = SIDES[motion % 2]
        towards = 3 if first == "PRO" else -3
        for pro, con in permutations("abc", 2):
            debates.append(debate(pro, con, motion, [towards], first=first))
    found = measure_league(debates)
    assert {score for _, score in found.matches} == {0.0}
    assert [each.rating.mean for each in found.ratings] == pytest.approx([1500.0] * 3)
    assert [(each.won, each.drawn, each.lost) for each in found.ratings] == [(0, 12, 0)] * 3
    every = found.jurors[0]
    assert every.first.margin.mean == 3.0
    assert every.first.p < 0.05
    assert every.pro.margin.mean == 0.0
    assert every.pro.p > 0.05


def test_a_match_that_lacks_a_debate_or_a_ruling_is_not_rated():
    found = measure_league([*match("a", "b", 0, 2), debate("a", "b", 1, [5])])
    assert [score for _, score in found.matches] == [2.0, None]
    assert found.lacking == {"one side not held yet": 1}
    assert sum(each.won for each in found.ratings) == 1
    assert measure_league(match("a", "b", 0, 2)[:1]).ratings == []
    failed = [debate("a", "b", 0, [2]), debate("b", "a", 0, [], failed=True)]
    found = measure_league([*failed, debate("a", "b", 1, [2]), debate("b", "a", 1, [None])])
    assert found.lacking == {"a debate failed": 1, "no ruling of a debate can be read": 1}
    assert found.jurors[0].unread == 1


def test_margins_of_all_jurors_are_brought_to_one_mean_size():
    held = [debate("a", "b", 0, [4, -2]), debate("b", "a", 0, [2, 4])]
    factors = weigh_jurors(held, rescaled=True)
    assert factors == {"juror 1": 1.0, "juror 2": 1.0}
    held = [debate("a", "b", 0, [4, -1]), debate("b", "a", 0, [-2, 2])]
    factors = weigh_jurors(held, rescaled=True)
    assert factors["juror 1"] == pytest.approx((3 + 1.5) / 2 / 3)
    assert factors["juror 2"] == pytest.approx((3 + 1.5) / 2 / 1.5)
    assert set(weigh_jurors(held, rescaled=False).values()) == {1.0}
    assert weigh_jurors([debate("a", "b", 0, [0, 3])], rescaled=True)["juror 1"] == 1.0
    assert [find_sign(score) for _, score in measure_league(held).matches] == [0]
    plain = measure_league(held, rescaled=False)
    assert [score for _, score in plain.matches] == [0.75]


def test_players_that_never_met_have_no_ratings_and_the_report_says_who():
    held = [each for motion in range(3) for each in match("a", "b", motion, 1)]
    held += [each for motion in range(3) for each in match("c", "d", motion, 1)]
    found = measure_league(held)
    assert found.apart == [["a", "b"], ["c", "d"]]
    assert all(each.rating.mean is None for each in found.ratings)
    joined = measure_league([*held, *match("b", "c", 0, 1)])
    assert joined.apart == []
    assert all(each.rating.mean is not None for each in joined.ratings)


def test_jurors_agree_by_what_they_find_of_a_whole_match():
    held = [
        debate("a", "b", 0, [3, 1]),
        debate("b", "a", 0, [1, -1]),  # a by 1, and a by 1
        debate("a", "b", 1, [2, -2]),
        debate("b", "a", 1, [0, -1]),  # a by 1, and b by 0.5
    ]
    [pair] = measure_league(held).pairs
    assert (pair.one, pair.other) == ("juror 1", "juror 2")
    assert (pair.agree.mean, pair.agree.n) == (0.5, 2)


@pytest.mark.parametrize("times", [12, pytest.param(60, marks=pytest.mark.soak)])
def test_nothing_planted_leaves_intervals_that_hold_1500(times):
    """Of leagues of four even players on 8 motions 90 % or more of the intervals hold it."""
    chance, hit = Random(5), 0
    for _ in range(times):
        held = [
            debate(*sides, motion, [chance.choice((-3, -1, 1, 3))])
            for motion in range(8)
            for sides in permutations("abcd", 2)
        ]
        hit += sum(each.low <= EVEN_RATING <= each.high for each in ratings(held).values())
    assert 0.9 <= hit / times / 4 <= 0.99


ALL = {"protocol": "debate-match", "round_robin": True, "phases": "opening"}


async def play(tmp_path, motions, arm):
    file = tmp_path / "motions.jsonl"
    rows = [f'{{"id": "m{n}", "question": "Motion {n}"}}' for n in range(motions)]
    file.write_text("\n".join(rows))
    datasets = [{"name": "file", "path": str(file), "kind": "text"}]
    study = {"name": "games", "analyses": ["league"], "datasets": datasets, "arms": [arm]}
    await moot.run(study, store=tmp_path / "store")
    return await moot.analyse("league", "games", store=tmp_path / "store")


async def test_the_strength_that_is_planted_is_found_in_its_order(tmp_path):
    players = [f"simulated/{name}" for name in ("ann", "bob", "cleo")]
    strengths = zip(players, ("?strength=1.5", "", "?strength=-1.5"), strict=True)
    models = [f"{player}{strength}" for player, strength in strengths]
    report = await play(tmp_path, 12, {**ALL, "models": models})
    by_player = {each.player: each for each in report.data.ratings}
    assert [each.player for each in report.data.ratings] == players
    assert by_player["simulated/ann"].rating.low > EVEN_RATING
    assert by_player["simulated/cleo"].rating.high < EVEN_RATING
    assert report.data.jurors[0].first.p > 0.05
    assert any("simulated/ann leads 3 models" in each for each in report.findings)
    assert any("above: simulated/ann; below: simulated/cleo" in each for each in report.findings)


async def test_rulings_that_cannot_be_read_are_counted_and_in_no_mean(tmp_path):
    models = [f"simulated/{name}?unparseable=0.3" for name in "abcd"]
    report = await play(tmp_path, 12, {**ALL, "models": models})
    every = report.data.jurors[0]
    assert 0 < every.unread < every.read
    assert 0 < report.data.pairs[0].agree.mean < 1
    assert any("cannot be read, and count nowhere" in note for note in report.notes)
    assert any("not rated" in note for note in report.notes)


async def test_sides_that_a_study_swaps_by_the_setting_are_matches_too(tmp_path):
    cast = [{"model": f"simulated/{name}"} for name in ("ann", "bob", "cleo")]
    arm = {"protocol": "debate-match", "agents": [cast], "jurors": 1, "swapped": [False, True]}
    report = await play(tmp_path, 1, arm)
    [(paired, score)] = report.data.matches
    assert (paired.one, paired.other) == ("simulated/ann", "simulated/bob")
    assert score is not None
