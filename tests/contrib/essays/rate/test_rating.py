"""The judging face as a program sees it: what is kept, what is refused, what is not told."""

import asyncio
import os
import re
import signal
import sys
from urllib.parse import urlencode

import pytest

from moot.contrib.essays.rate.rankings import Rankings
from moot.contrib.essays.rate.sheets import ASPECTS
from moot.ledger.store import Store
from support import stored_runs as filled
from support.commands import environment
from support.essays import ARMS, MODEL, fill, forbidden, judging
from support.server import NASTY, harmless, page_of

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SCRIPT = {"Accept": "application/json"}
PLACES = {f"{aspect}-{essay}": str(essay) for aspect in ASPECTS for essay in (1, 2, 3)}


async def sent(client, url, data, **headers):
    """Post a form; gives the status, the text, and where it leads."""
    async with client.post(
        url, data=urlencode(data), headers=FORM | headers, allow_redirects=False
    ) as answer:
        return answer.status, await answer.text(), answer.headers.get("location", "")


def kept(up, name="Ann"):
    """What counts of a rater's places, by the number of the essay on the rater's page."""
    rater = next(each for each in up.judging.invited if each.name == name)
    found = {}
    for sheet in up.judging.sheets.sheets:
        order = sheet.order(rater)
        for (aspect, arm), place in up.judging.places(rater).get(sheet.item, {}).items():
            found[sheet.item.question, aspect, order.index(arm) + 1] = place
    return found


async def test_no_page_or_address_tells_whose_essay_it_is(tmp_path, client):
    await fill(tmp_path, 2, text=lambda number, arm: f"Essay on {number}: {len(arm)} words.")
    async with judging(tmp_path, raters=["Ann"]) as up:
        sheet = f"{up.link('Ann')}/{up.sheet(1).id}"
        said = [await sent(client, sheet, PLACES | {"go": "next"}), await sent(client, up.url, {})]
        said.append(await sent(client, sheet, {"quality-1": "2"}, **SCRIPT))
        told = [text for answer in said for text in map(str, answer)]
        for path in ("", "/end", f"/{up.sheet(1).id}", f"/{up.sheet(1).id}/1", "/none", "/x/9"):
            async with client.get(up.link("Ann") + path) as answer:
                told += [await answer.text(), str(answer.headers), str(answer.url)]
                assert "script-src 'self'" in answer.headers["content-security-policy"]
                assert answer.headers["cache-control"] == "no-store"
        for path in ("/", "/metrics", "/runs", "/healthz", "/v1/models"):
            async with client.get(up.url + path) as answer:
                told.append(await answer.text())
        everything = "\n".join(told)
        assert "Essay on" in everything
        assert "Would it make you think again?" in everything
        assert "make somebody think" not in everything
        for secret in (*ARMS, "secret", MODEL, "essays-1", "props", "q0", "writer"):
            assert secret not in everything, secret
        async with client.get(f"{up.url}/runs") as answer:
            assert answer.status == 404


async def test_hostile_essays_are_text(tmp_path, client):
    await fill(tmp_path, 1, text=lambda _, arm: f"{NASTY} {arm[-4:]}")
    async with judging(tmp_path, raters=["Ann"]) as up:
        page = await page_of(client, f"{up.link('Ann')}/{up.sheet(1).id}")
        harmless(page)
        assert page.count("<form") == 1


async def test_essays_stand_in_an_order_of_the_rater_that_is_kept(tmp_path, client):
    await fill(tmp_path, 8)

    async def shown(up, name):
        found = []
        for number in range(1, 9):
            async with client.get(f"{up.link(name)}/{up.sheet(number).id}") as answer:
                found.append(re.findall(r"kind (\d)", await answer.text()))
        return found

    async with judging(tmp_path, raters=["Ann", "Bo"]) as up:
        ann, bo, link = await shown(up, "Ann"), await shown(up, "Bo"), up.link("Ann")
        assert all(sorted(order) == ["0", "1", "2"] for order in ann)
        assert len({tuple(order) for order in ann}) > 1
        assert ann != bo
    async with judging(tmp_path, raters=["Ann"]) as up:
        assert await shown(up, "Ann") == ann
        assert up.link("Ann").rpartition("/")[2] == link.rpartition("/")[2]
        seeds = [each.seed for each in Rankings(up.app.state.lab.store).raters(up.judging.row.id)]
        assert len({*seeds, 0}) == 3  # drawn, since a known one would tell whose essay is which
    async with judging(tmp_path, raters=["Ann"], sample=8, seed=5) as up:
        again = {up.sheet(n).item: order for n, order in enumerate(await shown(up, "Ann"), 1)}
    async with judging(tmp_path, raters=["Ann"]) as up:
        assert ann == [again[up.sheet(number).item] for number in range(1, 9)]


async def test_only_what_a_rater_changed_is_entered_and_all_of_it_stays(tmp_path, client):
    await fill(tmp_path, 1)
    async with judging(tmp_path, raters=["Ann"]) as up:
        url = f"{up.link('Ann')}/{up.sheet(1).id}"
        status, text, _ = await sent(client, url, {"quality-1": "2"}, **SCRIPT)
        assert (status, text) == (200, '{"said":"1 of 6 places saved","done":0}')
        status, text, _ = await sent(client, url, PLACES, **SCRIPT)
        assert (status, text) == (200, '{"said":"All 6 places saved","done":1}')
        # a page that began with 2 in the one place changes another alone
        stale = PLACES | {"before": "123223", "quality-1": "2", "quality-2": "1"}
        status, _, where = await sent(client, url, stale | {"go": "next"})
        assert (status, where) == (303, f"{up.link('Ann').removeprefix(up.url)}/end")
        assert kept(up)["q0", "quality", 1] == 1
        assert kept(up)["q0", "quality", 2] == 1
        rater = up.judging.invited[0]
        entered = Rankings(up.app.state.lab.store).choices_of(rater.id)
        mine = [(each.shown, each.place) for each in entered if each.aspect == "quality"]
        assert mine == [(1, 2), (1, 1), (2, 2), (3, 3), (2, 1)]
        assert {each.essays for each in entered} == {3}


async def test_what_is_no_place_or_cannot_be_written_is_refused_and_not_called_saved(
    tmp_path, client
):
    await fill(tmp_path, 1)
    async with judging(tmp_path, raters=["Ann"]) as up:
        url = f"{up.link('Ann')}/{up.sheet(1).id}"
        for place in ("0", "4", "-1", "1.0", "٣", "", "<b>", "1 ", "11", "\ud83d"):
            given = {"quality-1": "1", "quality-2": place.encode("utf-8", "surrogatepass")}
            status, text, _ = await sent(client, url, given, **SCRIPT)
            assert (status, text) == (422, '{"error":"Essay 2: a place is a number from 1 to 3"}')
        status, text, _ = await sent(client, url, given)
        assert (status, "Essay 2: a place is" in text) == (422, True)
        assert kept(up) == {}
        with forbidden(tmp_path):
            status, text, _ = await sent(client, url, PLACES, **SCRIPT)
            assert (status, text) == (503, '{"error":"the store cannot be written"}')
            status, text, _ = await sent(client, url, PLACES)
            assert (status, "It could not be saved." in text) == (503, True)
        assert (await sent(client, url, PLACES, **SCRIPT))[0] == 200


async def test_links_that_lead_nowhere_are_told(tmp_path, client):
    await fill(tmp_path, 2)
    async with judging(tmp_path, raters=["Ann"]) as up:
        for url in (
            f"{up.url}/judge/nobody",
            f"{up.url}/judge/nobody/{up.sheet(1).id}",
            f"{up.link('Ann')}/0123456789abcdef",
            f"{up.url}/judge/%00%ed%a0%80",
        ):
            async with client.get(url) as answer:
                assert answer.status == 404, url
                assert "<h1>" in await answer.text()
        gone = f"{up.link('Ann')}/0123456789abcdef"
        assert (await sent(client, gone, {}, **SCRIPT))[0] == 404
        assert (await sent(client, up.url, {"name": "Eve"}))[0] == 403
        status, text, _ = await sent(client, up.link("Ann") + f"/{up.sheet(1).id}", {}, origin="x")
        assert (status, "other sites" in text) == (403, True)


async def test_whoever_comes_gives_a_name_that_is_nobodys(tmp_path, client):
    await fill(tmp_path, 1)
    async with judging(tmp_path) as up:
        status, _, where = await sent(client, up.url, {"name": "  Cy \x1b<i>\n "})
        assert (status, where.startswith("/judge/")) == (303, True)
        async with client.get(up.url + where) as answer:
            text = await answer.text()
            assert "Cy ␛&lt;i&gt;" in text
        for name, told in (
            ("Cy \x1b<i>", "is called &#39;Cy ␛&lt;i&gt;&#39; already"),
            ("", "has 1 to 60"),
            ("x" * 61, "has 1 to 60"),
        ):
            status, text, _ = await sent(client, up.url, {"name": name})
            assert (status, told in text) == (422, True)


@pytest.mark.soak
async def test_what_the_page_called_saved_outlives_a_kill_beside_a_run(tmp_path, client):
    store = tmp_path / "store"
    key = await fill(store, 2)
    running, _ = await filled.hold(store, 300)
    serving = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "moot", "judge", key, "--raters", "Ann,Bo", "--port", "0"),
        *("--store", str(store)),
        stdout=asyncio.subprocess.PIPE,
        env=environment(),
    )
    assert serving.stdout is not None
    links = [(await serving.stdout.readline()).decode().split("\t")[1].strip() for _ in "12"]
    pages = []
    for link in links:
        async with client.get(link) as answer:
            pages.append(
                re.findall(rf'href="{link[link.index("/judge") :]}/(\w+)"', await answer.text())
            )
    rounds = [
        (f"{link}/{found[-1]}", {f"{aspect}-{essay}": str(place)})
        for aspect in ASPECTS
        for essay in (1, 2, 3)
        for place in (1, 2, 3)
        for link, found in zip(links, pages, strict=True)
    ]
    answers = await asyncio.gather(*(sent(client, *each, **SCRIPT) for each in rounds))
    last = [sent(client, f"{links[n]}/{pages[n][-1]}", PLACES, **SCRIPT) for n in (0, 1)]
    for answer in [*answers, *await asyncio.gather(*last)]:
        assert answer[0] == 200
    os.kill(serving.pid, signal.SIGKILL)
    await serving.wait()
    running.terminate()
    await running.wait()
    async with Store.open(store, readonly=True) as opened:
        run = opened.find_run(key).id
        raters = Rankings(opened).raters(run)
        assert [each.name for each in raters] == ["Ann", "Bo"]
        for rater in raters:
            chosen = Rankings(opened).choices_of(rater.id)
            assert len(chosen) >= 2 * len(PLACES) - 2
            now = {(each.aspect, each.shown): each.place for each in chosen}
            assert now == {(a, shown): shown for a in ASPECTS for shown in (1, 2, 3)}
