"""The page that starts a study of whether debates are worth it, and shows it settle."""

import asyncio
import re
from html import unescape

import aiohttp
import pytest

import moot
from moot.contrib.server.pages.worth_study import FOLDER, IntervalSeen, draw_intervals
from support.server import harmless, page_of

MODEL = "simulated/people?accuracy=0.6"
SLOW = "simulated/slow?latency=0.2"
FILE = "Question,A,B,Answer\n" + "".join(
    f"What is {n} plus {n}?,{2 * n},{2 * n + 1},A\n" for n in range(1, 41)
)


def upload(text=FILE, name="sums.csv", **fields):
    form = aiohttp.FormData()
    given = {"model": MODEL, "max_calls": "300", "method.society-of-minds": "1", **fields}
    for key, value in given.items():
        form.add_field(key, value)
    form.add_field("upload", text.encode(), filename=name, content_type="text/csv")
    return form


async def post(client, server, status=200, **given):
    async with client.post(f"{server.url}/worth", data=upload(**given)) as answer:
        page = await answer.text()
        assert answer.status == status, page
        return page


async def begin(client, server, **given):
    """Start a study; the address of its page."""
    page = await post(client, server, **given)
    token = re.search(r'name="file" value="([^"]+)"', page)[1]
    fields = {"file": token, "start": "1", "model": MODEL, "max_calls": "300"}
    fields |= {"method.society-of-minds": "1"} | given
    async with client.post(f"{server.url}/worth", data=fields, allow_redirects=False) as answer:
        assert answer.status == 303, await answer.text()
        return server.url + answer.headers["location"]


async def ended(client, url):
    async with asyncio.timeout(60):
        while 'data-live=""' not in (page := await page_of(client, url)):
            await asyncio.sleep(0.1)
    return page


@pytest.mark.parametrize("calls", [300, 3000])
async def test_the_price_comes_first_and_the_end_is_that_of_the_run(
    serving, client, tmp_path, calls
):
    server = await serving(models=[MODEL], limits={"request": {"calls": 3000}})
    page = await post(client, server)
    assert "question is &#39;Question&#39;" in page
    assert re.search(r"of 40 questions: “What is 1 plus 1\?” with 2 options; right: <b>A</b>", page)
    said = re.search(r"For all questions: <b>([\d,]+) calls</b>", page)[1]
    assert int(said.replace(",", "")) > 40
    assert not server.lab.store.runs()  # nothing was called
    page = await ended(client, await begin(client, server, max_calls=str(calls)))
    harmless(page)
    run = re.search(r'href="/runs/([^"]+)"', page)[1]
    folder = tmp_path / "store" / FOLDER
    [file] = folder.rglob("*.csv") if folder.exists() else tmp_path.rglob("sums.csv")
    again = await moot.worth(
        file,
        model=MODEL,
        protocols=["society-of-minds"],
        budget=moot.Budget(calls=calls),
        store=tmp_path / "store",
    )
    assert again.run == run
    assert unescape(re.search(r'id="sentence"[^>]*>(.*?)</p>', page)[1]) == again.sentence
    [method] = again.statement.methods
    low, high = (
        f"{100 * end:+.0f}".replace("-", "−")
        for end in (method.difference.low, method.difference.high)
    )
    text = " ".join(unescape(page).split())
    assert f"{low} to {high} points against the vote, after {method.questions} questions" in text
    assert (", settled after " in text) == (method.settled_at is not None)
    told = "still open" if method.class_ == "open" else method.class_
    assert f'<span class="class-{method.class_}">{told}</span>' in text
    assert "The sentence is valid whenever you look." in text
    drawn = re.search(r'class="margin" x="0" y="([\d.]+)" width="300" height="([\d.]+)"', text)
    assert (drawn is not None) == ("Shaded: " in text) == (calls > 300)  # of two looks
    if drawn:
        assert "Shaded: within 5 points of the vote, which counts as equal; from left to" in text
        assert "from left to right 0 to 40 questions. The sentence is valid" in text
        top, height = map(float, drawn.groups())
        ends = re.findall(r'<text x="300" y="([\d.]+)">(\w+)</text>', text)
        assert [name for _, name in ends] == ["better", "worse"]
        assert float(ends[0][0]) < top < top + height < float(ends[1][0])
    for each in again.statement.warnings:
        assert each.text[:1].upper() + each.text[1:] in text


async def test_a_study_that_is_stopped_keeps_what_it_said(serving, client):
    server = await serving(models=[SLOW], limits={"request": {"calls": 100_000}})
    rows = "".join(f"What is {n} plus 1?,{n + 1},{n},A\n" for n in range(400))
    given = {"model": SLOW, "max_calls": "90000", "text": f"Question,A,B,Answer\n{rows}"}
    page = await post(client, server, **given)
    url = await begin(client, server, **given)
    del given["text"]
    token = re.search(r'name="file" value="([^"]+)"', page)[1]
    second = {"file": token, "start": "1", "method.society-of-minds": "1", **given}
    async with client.post(f"{server.url}/worth", data=second) as answer:
        assert (answer.status, "another study is running" in await answer.text()) == (422, True)
    async with asyncio.timeout(60):
        while "Nothing is shown yet" in (page := await page_of(client, url)):
            await asyncio.sleep(0.1)
    assert 'data-live="1"' in page
    async with client.post(f"{url}/stop") as answer:
        page = await answer.text()
    assert "It was stopped. What stands here is valid" in page
    said = re.search(r'id="sentence"[^>]*>(.*?)</p>', page, re.DOTALL)[1]
    assert "society-of-minds" in said
    await page_of(client, f"{server.url}/worth/none", 404)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"name": "sums.exe"}, "its name must end in .csv"),
        ({"name": "../../etc/passwd"}, "its name must end in .csv"),
        ({"text": "nothing"}, "file: sums.csv"),
        ({"text": "Question,Answer\n"}, "file: "),
        ({"text": "Question,A,B,Answer\nx,1,2,Q\n"}, "file: sums.csv"),
        ({"text": "\x00\xff" * 500}, "file: "),
        ({"text": "x" * 3_000}, "it has more than 2 kB"),
        ({"max_calls": ""}, "say what it may take at most"),
        ({"max_calls": "many"}, "is no number"),
        ({"model": "openai/gpt-4o"}, "is not allowed here"),
        ({"method.society-of-minds": "1", "column.question": "Nowhere"}, "Nowhere"),
    ],
)
async def test_what_cannot_be_studied_is_said_and_nothing_is_called(given, told, serving, client):
    server = await serving(models=[MODEL], uploads={"file": 2_000})
    page = unescape(await post(client, server, 422, **given))
    assert told in page
    assert "Traceback" not in page
    assert str(server.lab.place) not in page
    assert not server.lab.store.runs()


async def test_other_sites_and_made_up_files_start_nothing(serving, client):
    server = await serving(models=[MODEL])
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        async with client.post(f"{server.url}/worth", data=upload(), headers=headers) as answer:
            assert answer.status == 403
    fields = {"start": "1", "model": MODEL, "max_calls": "9", "method.council": "1"}
    for token in ("", "../x.csv", f"{'a' * 24}/x.csv", "/etc/passwd"):
        async with client.post(f"{server.url}/worth", data=fields | {"file": token}) as answer:
            assert answer.status == 422
            assert "choose a file of questions" in await answer.text()
    assert not server.lab.store.runs()


async def test_where_an_hour_is_capped_no_study_goes_beside_it(serving, client):
    server = await serving(models=[MODEL], limits={"hour": {"calls": 10}})
    page = await post(client, server, 422)
    assert "no study is started" in page


def test_a_drawing_has_both_ends_of_every_look_and_the_margin():
    seen = [IntervalSeen(20, -0.5, 0.5), IntervalSeen(40, -0.2, 0.3)]
    drawn = draw_intervals(seen, 40, 0.05)
    points = [tuple(map(float, each.split(","))) for each in drawn["points"].split()]
    assert points == [(150.0, 2.0), (300.0, 17.2), (300.0, 55.2), (150.0, 78.0)]
    assert (drawn["above"], drawn["below"]) == (36.2, 43.8)
