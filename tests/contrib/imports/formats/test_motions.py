"""Debates on motions: match-ups and rulings are exact, and a league reads them."""

import re
from collections import Counter
from types import SimpleNamespace

import pytest

from moot.contrib.imports.logged_questions import QuestionKind
from moot.contrib.imports.transcripts import make_transcript
from moot.contrib.league.league_matches import read_debates
from moot.contrib.league.league_scores import measure_league

FORM = "motions"
ROW = re.compile(r"^\| [^|]+ \| [^|]+ \| ([-+])\d", re.MULTILINE)
BOARD = re.compile(r"^\| \d+ \| (.+?) \| ([\d.]+) \| (\d+) \|$", re.MULTILINE)
REPORT = """# Debate Matchup Judgment Report

- template_id: `t`
- side_swap_group_id: `p1__one__two__t`
- topic_id: `p1`
- matchup: **One (high)** vs **Two**
- rating_eligible: `1`

**Motion:** Museums should be free.

## Debate A

- debate_id: `p1__one__two__s0__t`
- roles: PRO = **One (high)**, CON = **Two**
- judged result: Split `1-1`.
- entertainment scores: `7`, `8.5`

| Judge | Winner | Signed Margin (PRO+) | Normalized | Entertainment |
| --- | --- | ---: | ---: | ---: |
| Judge X | One (high) | +1.5 | +1.40 | 7.0 |
| Judge Y | Two | -2.0 | -1.90 | 8.5 |

### Judge Notes

- **Judge X**: Clear.
  Most decisive rebuttal noted: The second.
- **Judge Y**: Not clear.

## Debate B

- debate_id: `p1__two__one__s1__t`
- roles: PRO = **Two**, CON = **One (high)**
- judged result: Unanimous `1-0` for **One (high)**.
- entertainment scores: `6`

| Judge | Winner | Signed Margin (PRO+) | Normalized | Entertainment |
| --- | --- | ---: | ---: | ---: |
| Judge Y | One (high) | -1.0 | -0.90 | 6.0 |
"""
SPOKEN = """# Debate p1__one__two__s0__t

- topic_id: p1
- proposition: Museums should be free.
- model_pro: one
- model_con: two
- side_swap: False

## Turn 1: PRO Opening

- model: one
- raw_words: 2

[P1.1] Yes,

indeed.

## Turn 2: CON Opening

- model: two

No.

## Turn 3: PRO Pressure Questions

- model: one

Why?
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in (("rulings/r.md", REPORT), ("transcripts/p1__one__two__s0__t.md", SPOKEN)):
        path = tmp_path / "log" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path / "log"


def as_sided(debates):
    rows = [
        SimpleNamespace(
            transcript=make_transcript(
                each, QuestionKind(), source="x", protocol=each.method
            ).transcript,
            run=1,
            arm=str(each.settings),
            dataset=each.dataset,
            question=each.id,
            replicate=each.replicate,
        )
        for each in debates
    ]
    return read_debates(rows, {1: "run"})


def test_words_and_rulings_of_a_match_up(folder, read):
    [first, second], unread, _ = read(folder, form=FORM)
    assert not unread
    assert [(turn.agent, turn.step, turn.round) for turn in first.turns] == [
        ("pro", "opening", 1),
        ("con", "opening", 1),
        ("pro", "questions", 2),
        ("juror-1", "judge", 3),
        ("juror-2", "judge", 3),
    ]
    assert [turn.text for turn in first.turns[:3]] == ["[P1.1] Yes,\n\nindeed.", "No.", "Why?"]
    assert first.turns[3].reading == {
        "kind": "match-ruling",
        "winner": "PRO",
        "margin": 1.5,
        "decisive": "The second.",
    }
    assert first.labels["entertainment"] == [7.0, 8.5]
    assert [each.verdict.answer for each in (first, second)] == ["tie", "CON"]
    assert [each.settings["swapped"] for each in (first, second)] == [False, True]
    assert [agent.model for agent in second.agents] == ["Two", "One (high)", "Judge X", "Judge Y"]


def test_a_league_pairs_both_debates_and_says_which_side_rulings_find_for(folder, read):
    debates, _, _ = read(folder)
    found = measure_league(as_sided(debates), rescaled=False)
    [(match, score)] = found.matches
    assert (match.one, match.other) == ("One (high)", "Two")
    assert score == pytest.approx(((1.5 - 2) / 2 + 1) / 2)
    assert found.jurors[0].first.margin.n == 0  # the log does not say who was shown first
    assert [(each.juror, each.rulings) for each in found.sides] == [
        ("all", 3),
        ("Judge X", 1),
        ("Judge Y", 2),
    ]
    assert found.sides[0].pro.mean == pytest.approx(1 / 3)


def test_a_debate_without_rulings_comes_in_without_a_verdict(folder, read):
    (folder / "rulings" / "r.md").write_text("# Notes\n")
    [debate], [unread], _ = read(folder)
    assert (debate.verdict, debate.error) == (None, "no ruling in the log")
    assert debate.agents[0].model == "one"
    assert unread.place == "rulings/r.md"


def test_the_published_board_is_reproduced(shared, read, monkeypatch):
    from scipy.stats import spearmanr

    folder = shared("motions-lechmazur")
    debates, unread, _ = read(folder, form=FORM)
    assert not unread
    texts = [path.read_text() for path in folder.glob("rulings/*.md")]
    signs = Counter(sign for text in texts for sign in ROW.findall(text))
    rows = signs.total()
    assert rows == 3608
    sided = as_sided(debates)
    assert sum(len(each.read) for each in sided) == rows
    monkeypatch.setattr("moot.contrib.league.league_scores.SELDOM", 20)
    found = measure_league(sided)
    assert found.sides[0].pro.mean == pytest.approx(signs["+"] / rows)
    assert round(found.sides[0].pro.mean, 3) == 0.579
    table = BOARD.findall((folder / "README.md").read_text())
    assert len(table) == 29
    ratings = {each.player: each.rating for each in found.ratings}
    assert {name: ratings[name].n for name, *_ in table} == {
        name: int(many) for name, _, many in table
    }
    ranks = spearmanr([ratings[name].mean for name, *_ in table], [float(x) for _, x, _ in table])
    assert ranks.statistic >= 0.98
    assert found.ratings[0].player == table[0][0]
    assert found.ratings[-1].player == table[-1][0]
    assert 4 <= len(found.groups) <= 12
    assert Counter(name for each in found.groups for name in each) == Counter(ratings.keys())
