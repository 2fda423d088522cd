"""The pages as a program sees them: what is kept, what is refused, what is not told."""

import re
from urllib.parse import urlencode

from contrib.judging.conftest import fill, rows
from moot.contrib.judging.choices import PairChoices
from moot.contrib.judging.judging_pages import PAGES
from moot.contrib.judging.pairs import PairPlan
from moot.contrib.judging.session import JudgingSession
from moot.studies.lab import open_lab
from support.server import NASTY, harmless, page_of

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


async def sent(client, url, data, **headers):
    """Post a form; gives the status, the text, and where it leads."""
    async with client.post(
        url, data=urlencode(data), headers=FORM | headers, allow_redirects=False
    ) as answer:
        return answer.status, await answer.text(), answer.headers.get("location", "")


def id_of(page):
    return re.search(r'name="shown" value="(\w*)"', page)[1]


def texts_of(page):
    return re.findall(r"(gold|lead) \d+", page)


async def test_one_chooses_undoes_and_comes_to_the_end(served, client):
    async with served(rows(3), raters=["Ann"]) as up:
        link, [rater] = up.link("Ann"), up.session.invited
        for number in (1, 2, 3):
            page = await page_of(client, link)
            assert f"Pair {number} of 3" in page
            better = 1 + texts_of(page).index("gold")
            form = {"choice": better, "shown": id_of(page)}
            assert await sent(client, link, form) == (303, "", link.removeprefix(up.url))
            assert (await sent(client, link, form))[0] == 303  # sent twice: kept once
        end = await page_of(client, link)
        assert "That was all" in end
        assert "Choices: 3 for the council, 0 for the single reply" in end
        assert "Answers have" not in end  # the owner alone is told of prices
        await sent(client, link, {"choice": "u", "shown": ""})
        assert "Pair 3 of 3" in await page_of(client, link)
        assert [each.choice for _, each in up.session.entries()] == ["council"] * 3 + ["undo"]
        assert up.session.next(rater).number == 3


async def test_nothing_on_a_page_tells_whose_answer_is_which(client, served):
    async with served(rows(12), raters=["Ann"]) as up:
        page = await page_of(client, up.link("Ann"))
        for path in ("", "/end", "/nothing"):
            async with client.get(up.link("Ann") + path) as answer:
                page += await answer.text() + str(answer.headers) + str(answer.url)
                assert "script-src 'self'" in answer.headers["content-security-policy"]
        for path in ("/", "/runs", "/v1/models"):
            async with client.get(up.url + path) as answer:
                page += await answer.text()
        row, names = up.session.pairs.row, ("council", "solo", "first reply", "debate")
        for secret in (*names, row.name, row.key):
            assert secret not in page.lower(), secret


async def test_pages_of_exchanged_sides_differ_in_secrets_alone(tmp_path):
    """Of two stores with the sides exchanged, pages with the same texts are the same."""

    def exchanged(pair):
        return {"question": pair["question"], "solo": pair["council"], "council": pair["solo"]}

    found = {}
    for name, pairs in (("a", rows(1)), ("b", [exchanged(each) for each in rows(1)])):
        (tmp_path / name).mkdir()
        run = await fill(tmp_path / name, pairs)
        async with open_lab(tmp_path / name / "store") as lab:
            session = await JudgingSession.open(lab, PairPlan(run))
            own = PairChoices(lab.store, session.pairs.row.id, session.pairs.match)
            for seed in range(20):
                rater = await own.add_rater(f"r{seed}", f"{name}{seed}", seed)
                rater = rater._replace(name="Ann", key="key")
                shown = session.next(rater)._replace(id="0" * 18)
                name_of, given = "pairs_judge.html", {"shown": shown, "count": 1, "settled": False}
                page = PAGES.render(name_of, rater=rater, **given)
                found.setdefault(bytes(page.body), set()).add((name, shown.first))
    assert sorted(map(sorted, found.values())) == [
        [("a", "council"), ("b", "solo")],
        [("a", "solo"), ("b", "council")],
    ]


async def test_hostile_texts_are_text(served, client):
    pairs = [{"question": NASTY, "solo": f"{NASTY} a", "council": f"{NASTY} b"}]
    async with served(pairs, raters=["Ann"]) as up:
        page = await page_of(client, up.link("Ann"))
        harmless(page)
        assert page.count("<form") == 1


async def test_what_is_no_choice_and_links_that_lead_nowhere(served, client):
    async with served(rows(1), raters=["Ann"]) as up:
        link = up.link("Ann")
        shown = id_of(await page_of(client, link))
        for choice in ("", "3", "council", "١", "<b>"):
            status, text, _ = await sent(client, link, {"choice": choice, "shown": shown})
            assert (status, "This is no choice." in text) == (422, True)
        for given in ({"choice": "1"}, {"choice": "1", "shown": "0" * 18}):
            assert (await sent(client, link, given))[0] == 303
        assert up.session.entries() == []
        for url in (f"{up.url}/judge/nobody", f"{up.url}/judge/nobody/end"):
            async with client.get(url) as answer:
                assert (answer.status, "nobody&#39;s" in await answer.text()) == (404, True)
        assert (await sent(client, up.url, {"name": "Eve"}))[0] == 403
        status, text, _ = await sent(client, link, {"choice": "1", "shown": shown}, origin="x")
        assert (status, "other sites" in text) == (403, True)


async def test_whoever_comes_gives_a_name_and_sees_what_is_known(served, client):
    async with served(rows(2)) as up:
        status, _, where = await sent(client, up.url, {"name": " Cy \x1b<i>\n"})
        assert (status, where.startswith("/judge/")) == (303, True)
        page = await page_of(client, up.url + where)
        assert "Cy ␛&lt;i&gt;" in page
        assert (await sent(client, up.url, {"name": "Cy \x1b<i>"}))[0] == 422
        for _ in range(2):
            form = {"choice": "s", "shown": id_of(await page_of(client, up.url + where))}
            await sent(client, up.url + where, form)
        assert "2 skipped" in await page_of(client, f"{up.url}{where}/end")


async def test_those_who_are_invited_are_not_told_before_the_end(served, client):
    async with served(rows(2), raters=["Ann", "Bo"]) as up:
        link = up.link("Ann")
        await sent(client, link, {"choice": "1", "shown": id_of(await page_of(client, link))})
        page = await page_of(client, f"{link}/end")
        assert "It is shown here as soon as it is settled" in page
        assert "single reply" not in page
