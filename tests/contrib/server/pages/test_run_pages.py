"""The pages of runs over HTTP."""

import asyncio
import html
import re

import aiohttp
import msgspec
import pytest
from bs4 import BeautifulSoup

from moot.analyses.analysis import GROUPS
from moot.analyses.analysis import registry as analyses
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.worth import describe_worth
from moot.contrib.server.pages import run_pages
from moot.contrib.server.pages.page_rendering import PARTS, stream_page
from moot.core.errors import InputError
from moot.ledger.store import Store
from moot.reports.chart_style import ChartStyle
from moot.studies.lab import open_lab
from support.stored_runs import big, debates, fill, mixed, reworded, run, secret

HOSTILE = (
    "<script>alert(1)</script></title><img src=x onerror=alert(1)>"
    '<a href="javascript:alert(1)">a</a>\'">{{ 7 * 7 }} \x1b[2J\x1b]0;owned\x07 \u202egpj.exe'
)


async def test_a_store_and_a_run_without_debates_have_pages(serving, read, tmp_path):
    served = await serving()
    for page, told in (("/runs?kind=asked", "Nobody has asked"), ("/compare", "moot run STUDY")):
        assert told in await read(f"{served.url}{page}")
    arm = {"name": "single", "protocol": "single", "settings": {}}
    planned = {"name": "p", "arms": [arm], "baseline": None, "debates": 1234}
    async with Store.open(tmp_path / "store") as store:
        store.begin_run("planned-1", "p", msgspec.json.encode(planned))
    text = await read(f"{served.url}/runs/planned-1")
    for told in ("No debate has ended yet", "of 1,234", '<progress max="1234"'):
        assert told in text
    await read(f"{served.url}/runs/planned-1/debates?show=wrong&order=dearest")


async def test_a_list_shows_those_that_were_chosen(serving, read, tmp_path):
    outcome = await mixed(tmp_path / "store", n=30)
    served = await serving()
    for show in ("right", "wrong", "flipped", "unparsed", "failed"):
        text = await read(f"{served.url}/runs/{outcome.run}/debates?show={show}")
        marks = text.count('<span class="mark ')
        chosen = 'class="entry"' if show == "flipped" else f'<span class="mark {show}"'
        assert marks == text.count(chosen) > 0
        assert show != "flipped" or "wrong → right" in text or "right → wrong" in text
    assert "the model refuses the request: no: &lt;b&gt;not&lt;/b&gt; today" in text


async def test_an_address_chooses_and_what_it_cannot_mean_is_told(serving, read, tmp_path):
    outcome = await run(tmp_path / "store", n=3)
    served = await serving()
    base = f"{served.url}/runs/{outcome.run}"
    text = await read(f"{base}/debates?arm=minds&order=dearest")
    assert (text.count("<b>minds</b>"), text.count("<b>single")) == (3, 0)
    assert "dearest first by tokens" in text
    text = await read(f"{served.url}/runs")
    for told in (outcome.run, "trial", "UTC", "done", "6 debates", "simulated"):
        assert told in text
    assert outcome.run not in await read(f"{served.url}/runs?kind=asked")
    assert "There are none" in await read(f"{served.url}/runs?q=nothing+like+it")
    assert "There are no such debates" in await read(f"{base}/debates?arm=none")
    wrong = "show=%00&after=%FF%1F%1F&order=x&dataset=&q=%20"
    assert "1 to 6 of 6" in await read(f"{base}/debates?{wrong}")
    await read(f"{served.url}/runs/none", status=404)
    await read(f"{served.url}/runs/%2e%2e%2fetc", status=404)
    await read(f"{base}/figures/none.svg", status=404)
    await read(f"{served.url}/runs?before=99999999999999999999999")


async def test_hostile_texts_are_shown_as_texts(serving, read, tmp_path):
    held = await debates(tmp_path / "few", n=3)
    bad = {HOSTILE: [reworded(each, HOSTILE, names=True) for each in held["minds"]]}
    await fill(tmp_path / "store", bad, key="bad-1", n=3, dataset=HOSTILE)
    served = await serving()
    for page in ("", "/debates", "/debates?q=alert(1)", "/results", "/settings", "/figures"):
        text = await read(f"{served.url}/runs/bad-1{page}")
        wrong = ("<script>alert", "<img src=x", 'href="javascript', "\x1b", "\u202e")
        assert not [each for each in wrong if each in text]
        assert "alert(1)" in text or page == "/figures"
    assert "&lt;script&gt;" in await read(f"{served.url}/runs/bad-1/debates")


async def test_figures_are_on_a_page_of_their_own(serving, read, tmp_path, monkeypatch):
    pytest.importorskip("vl_convert")
    arms = [{"name": f"arm {n}", "protocol": "single", "temperature": n / 100} for n in range(50)]
    outcome = await run(tmp_path / "store", n=3, arms=arms, baseline="arm 0")
    served = await serving()
    url = f"{served.url}/runs/{outcome.run}"
    text = await read(url)
    assert "The 40 most accurate of 50 methods" in text
    assert (await read(f"{url}/results")).count("<tr") > 50
    own = html.unescape(re.search(r'<img[^>]* src="(/runs/[^"]+)"', text)[1])
    assert (await read(f"{served.url}{own}")).startswith("<svg")
    text = await read(f"{url}/figures")
    address = text.partition('src="/runs')[2].partition('"')[0].replace("&amp;", "&")
    assert (await read(f"{served.url}/runs{address}")).startswith("<svg")

    def missing():
        raise InputError("figures need altair: install with pip install moot[report]")

    monkeypatch.setattr(ChartStyle, "check_installed", missing)
    await read(url)
    assert "pip install moot[report]" in await read(f"{url}/figures")


async def test_a_secret_question_stays_withheld(serving, read, tmp_path):
    held = await debates(tmp_path / "few", n=1)
    hidden = secret(held["single"][0], "what nobody may read")
    await fill(tmp_path / "store", {"a": [hidden], "b": [hidden]}, key="secret-1", n=1)
    served = await serving()
    base = f"{served.url}/runs/secret-1"
    beside = f"{served.url}/compare/debates?a=secret-1&arm_a=a&arm_b=b&dataset=sums&question=q0"
    for page in (base, f"{base}/debates", f"{base}/debates?q=nobody+may", beside):
        text = await read(page)
        assert "nobody may read" not in text
    assert "(withheld)" in text


async def test_a_run_lists_its_analyses_by_what_they_are_about(serving, read, tmp_path):
    outcome = await mixed(tmp_path / "store", n=4)
    served = await serving()
    page = BeautifulSoup(await read(f"{served.url}/runs/{outcome.run}"), "html.parser")
    listed = {}
    for group in page.select("section[aria-labelledby=analyses-name] details"):
        words = group.summary.find(string=True, recursive=False).strip()
        listed[words] = [link.text for link in group.select("li > a")]
        assert int(group.summary.small.text) == len(listed[words])
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        runs = RecordedRuns(lab, [outcome.run])
        able = {each.name: GROUPS[each.group] for each in analyses if not each.find_lack(runs)}
    assert {name: words for words, own in listed.items() for name in own} == able
    assert list(listed) == [words for words in GROUPS.values() if words in listed]
    assert len(listed) > 2


@pytest.mark.parametrize("number", [1, 3, 5])
async def test_each_dataset_has_its_chart_beside_the_table(serving, read, tmp_path, number):
    pytest.importorskip("vl_convert")
    names = [f"sums {at}" for at in range(number)]
    datasets = [
        {"name": "arithmetic", "label": name, "n": 4, "seed": at} for at, name in enumerate(names)
    ]
    outcome = await run(tmp_path / "store", datasets=datasets)
    served = await serving()
    page = BeautifulSoup(await read(f"{served.url}/runs/{outcome.run}"), "html.parser")
    drawn = page.select(".first .drawn figure img")
    assert [each["alt"] for each in drawn] == [f"Accuracy on {name}" for name in names]
    folds = page.select(".first .drawn > details[name=drawn]")  # of one name: one is open at a time
    assert [fold.has_attr("open") for fold in folds] == [at == 0 for at in range(number)] * (
        number > 3
    )
    assert "<svg" in await read(f"{served.url}{drawn[-1]['src']}")


async def parts_of(client, url) -> list[str]:
    """The parts of a page as they come."""
    async with client.get(url, timeout=aiohttp.ClientTimeout(total=300)) as response:
        assert response.status == 200
        assert "content-length" not in response.headers
        return [part.decode() async for part, _ in response.content.iter_chunks()]


async def test_until_a_run_is_computed_its_page_says_of_how_many_debates(
    serving, client, tmp_path, monkeypatch
):
    outcome = await run(tmp_path / "store", n=9)
    served = await serving()
    monkeypatch.setattr(run_pages, "EARLY", 0.0)
    parts = await parts_of(client, f"{served.url}/runs/{outcome.run}")
    [sentence, *_] = describe_worth(outcome.results)
    wanted = (
        "<h1>trial</h1>",
        "Counting 18 debates …",
        html.escape(sentence),
        "Listing the debates …",
        'id="matrix"',
        "All 18 debates",
    )
    whole = "".join(parts)
    where = [whole.index(text) for text in wanted]
    assert where == sorted(where)
    assert whole.count('class="coming"') == 2


async def test_debates_that_came_after_the_results_are_told(serving, read, tmp_path):
    held = await debates(tmp_path / "few", n=2)
    served, before, text = await serving(), 0, ""
    for n in range(4, 200, 4):  # results are a second old at most: a slow machine may miss that
        await fill(tmp_path / "store", held, key="on-1", n=n, status="running")
        text = " ".join((await read(f"{served.url}/runs/on-1")).split())
        if 'id="behind"' in text:
            break
        before = n
    assert f"What follows is of the first {2 * before} debates;" in text
    assert f'data-live="held">{2 * n} debates</span>' in text
    assert f"All {2 * before} debates" in text


@pytest.mark.soak
async def test_a_large_run_shows_its_name_then_its_answer_then_its_debates(
    serving, read, client, tmp_path
):
    place, key = await asyncio.to_thread(big, 2_000)
    served = await serving(store=place)
    parts = await parts_of(client, f"{served.url}/runs/{key}")
    wanted = ("<h1>filled</h1>", "Counting 4,000 debates", 'class="found"', 'id="matrix"')
    where = [next(at for at, part in enumerate(parts) if text in part) for text in wanted]
    assert where == sorted(set(where)), where
    whole, again = "".join(parts), await read(f"{served.url}/runs/{key}")
    assert whole.rstrip().endswith("</html>")
    for text in ('class="found"', 'id="figures-name"', "All 4,000 debates"):
        assert whole.count(text) == again.count(text) == 1
    assert "Counting" not in again


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InputError("the store is <gone>"), "the store is &lt;gone&gt;"),
        (ZeroDivisionError("division"), "Something went wrong in moot"),
    ],
)
async def test_what_breaks_after_the_beginning_was_sent_is_told_in_the_page(error, told):
    async def parts():
        yield "first"
        raise error

    answer = stream_page(f"<body>{PARTS}</body>", parts())
    text = "".join([part async for part in answer.body_iterator])
    assert text.startswith("<body>first")
    assert told in text
    assert text.endswith("</body>")
