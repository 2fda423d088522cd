"""The pages that compare, over HTTP."""

import re

from moot.analyses.comparison import compare_arms
from moot.contrib.server.pages.compare_page import lay_out
from moot.studies.lab import open_lab
from support.stored_runs import debates, fill, mixed, reworded


async def test_two_arms_of_a_run_as_moot_compare_has_them(serving, read, tmp_path):
    outcome = await mixed(tmp_path / "store", n=40)
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        (told,) = compare_arms(lab, outcome.run, arms=["single=minds"])
    served = await serving()
    base = f"{served.url}/compare?a={outcome.run}&arm_a=single&arm_b=minds"
    text = await read(base)
    assert f"{100 * told.difference.mean:+.1f}".replace("-", "−") in text
    for side in (told.first, told.second):
        assert f"{100 * side.accuracy.mean:.1f}" in text
    for show, ids in (("first", told.only_first), ("second", told.only_second)):
        listed = await read(f"{base}&show={show}")
        assert listed.count('class="entry both"') == len(ids)
        assert all(f"{name}<" in listed or f"{name}\n" in listed for name in ids)
    differ = await read(f"{base}&show=differ")
    assert differ.count('class="entry both"') == len(told.only_first) + len(told.only_second)


async def test_arms_of_two_runs_and_their_debates_beside_each_other(serving, read, tmp_path):
    held = await debates(tmp_path / "few", n=30)
    await fill(tmp_path / "store", {"x": held["single"]}, key="one-1", n=30)
    await fill(tmp_path / "store", {"x": held["minds"], "y": held["single"]}, key="two-1", n=30)
    served = await serving()
    text = await read(f"{served.url}/compare?a=one-1&b=two-1")
    assert text.count("<option") == 2 * 2 + 1 + 2
    text = await read(f"{served.url}/compare?a=one-1&b=two-1&arm_a=x&arm_b=x&show=both")
    link = text.partition('href="/compare/debates')[2].partition('"')[0].replace("&amp;", "&")
    beside = await read(f"{served.url}/compare/debates{link}")
    assert beside.count("Round ") == 2
    assert "nobody spoke" in beside
    assert (beside.count("/debates/one-1?"), beside.count("/debates/two-1?")) == (1, 1)


def arms_of(text, side):
    """The arms that the form lists for one side."""
    listed = text.partition(f'id="arm_{side}"')[2].partition("</select>")[0]
    return re.findall(r'<option value="([^"]+)"', listed)


async def test_the_arms_of_the_chosen_runs_are_listed(serving, read, tmp_path):
    held = await debates(tmp_path / "few", n=3)
    one, two = held["single"], held["minds"]
    six = {"free": two, "eval": one, "c": one, "d": one, "e": one, "f": one}
    await fill(tmp_path / "store", six, key="big-1", n=3)
    await fill(tmp_path / "store", {"x": one, "y": two}, key="demo-1", n=3)
    served = await serving()
    plain = await read(f"{served.url}/compare")
    assert arms_of(plain, "a") == arms_of(plain, "b") == ["x", "y"]
    stale = "arm_a=x&arm_b=y&was=demo-1&list=arms"
    for query, a in (
        (f"a=big-1&b=demo-1&{stale}", [*six]),
        ("a=big-1", [*six]),
        (f"a=demo-1&b=big-1&{stale}", ["x", "y"]),
    ):
        text = await read(f"{served.url}/compare?{query}")
        assert (arms_of(text, "a"), arms_of(text, "b")) == (a, [*six])
        assert "has no method" not in text


async def test_what_cannot_be_compared_is_told(serving, read, tmp_path):
    held = await debates(tmp_path / "few", n=3)
    other = {"single": [reworded(each, "another question") for each in held["single"]]}
    await fill(tmp_path / "store", {"single": held["single"]}, key="one-1", n=3)
    await fill(tmp_path / "store", other, key="two-1", n=3)
    served = await serving()
    both = "arm_a=single&arm_b=single"
    for address, status, told in (
        (f"?a=one-1&{both}", 200, "choose two methods"),
        ("?a=one-1&arm_a=none&arm_b=single", 200, "has no method &#39;none&#39;"),
        (f"?a=one-1&b=two-1&{both}", 400, "is not the same in runs one-1 and two-1"),
        ("?a=none", 404, "There is no such run."),
        ("/debates", 404, "There is no such run."),
        ("/debates?a=one-1&question=x", 404, "Both methods need one on this question."),
    ):
        assert told in await read(f"{served.url}/compare{address}", status=status)


async def test_one_answer_has_one_colour_in_both_debates(tmp_path):
    held = await debates(tmp_path / "few", n=6)
    for one, two in zip(held["single"], held["minds"], strict=True):
        both = lay_out(two, one)
        marks = {}
        for _, first, second in both.rounds:
            for said in (*first, *second):
                assert marks.setdefault(said.mark.words, said.mark) == said.mark
        assert both.same
        assert [board.opened.protocol for board in both.boards] == ["society-of-minds", "single"]


async def test_a_long_list_comes_in_pages(serving, read, tmp_path):
    held = await debates(tmp_path / "few", n=30)
    await fill(tmp_path / "store", held, key="long-1", n=200)
    served = await serving()
    url = f"{served.url}/compare?a=long-1&arm_a=single&arm_b=minds&show=both"
    seen = 0
    for _ in range(9):
        text = await read(url)
        seen += text.count('class="entry both"')
        after = text.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
        if not after:
            break
        url = served.url + after
    assert f"of {seen}." in text
    assert seen > 50
