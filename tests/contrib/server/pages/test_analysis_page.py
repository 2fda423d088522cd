"""The pages of analyses: any that is registered, a third party's too."""

import re
from html import unescape
from time import process_time
from typing import Annotated

import pytest
from msgspec import Meta

import moot
from moot.analyses.analysis import registry
from support.stored_runs import run


@pytest.fixture
def lengths():
    """An analysis of somebody else's package."""

    @moot.analysis(source="this <test>", needs=("calls",), name="lengths")
    def count_long(
        runs: moot.RecordedRuns,
        *,
        least: Annotated[int, Meta(ge=1, description="calls of a long debate")] = 4,
        names: list[str] = [],  # noqa: B006 -- an option's default
    ) -> moot.Report:
        """Count the <long> debates."""
        rows = [
            moot.TableRow([arm.name, sum((v.values["calls"] or 0) >= least for v in runs.values)])
            for arm in runs.arms
        ]
        columns = moot.Column("arm"), moot.Column("long", "count", group="all <of> them")
        table = moot.ResultTable("Long", columns, rows, note=f"names: {', '.join(names)}")
        return moot.Report("Lengths", runs.key, [table], findings=("<b>None</b> is long.",))

    yield
    del registry._found["lengths"]
    registry._sorted = None


@pytest.mark.usefixtures("lengths")
async def test_an_analysis_of_others_has_a_page(serving, read, tmp_path):
    outcome = await run(tmp_path / "store", n=3)
    served = await serving()
    text = await read(f"{served.url}/runs/{outcome.run}")
    assert f'href="/runs/{outcome.run}/analyses/lengths"' in text
    assert "Count the &lt;long&gt; debates." in text
    url = f"{served.url}/runs/{outcome.run}/analyses/lengths"
    text = await read(url)
    told = ["&lt;b&gt;None&lt;/b&gt; is long.", "this &lt;test&gt;", 'placeholder="4"']
    told.append('colspan="1">all &lt;of&gt; them</th>')
    told.append('data-sort="3">3</td>')  # minds has 6 calls a debate, single 1
    assert [each for each in told if each not in text] == []
    text = await read(f"{url}?least=1&names=a%0D%0A&names=b&arms=minds")
    assert 'data-sort="3">3</td>' in text
    assert "names: a, b" in text
    assert ">single</th>" not in text
    base = f"{served.url}/runs/{outcome.run}/analyses"
    for url, status, told in (
        (f"{base}/lenghts", 404, "did you mean &#39;lengths&#39;"),
        (f"{base}/lengths?least=0", 400, "least = &#39;0&#39;"),
        (f"{base}/lengths?arms=nobody", 400, "unknown arm"),
        (f"{base}/lengths?with=none", 404, "There is no such run."),
        (f"{served.url}/runs/none/analyses/lengths", 404, "There is no such run."),
        (f"{base}/accuracy/none.svg", 404, "There is no such figure."),
    ):
        assert told in await read(url, status=status)


async def test_every_analysis_has_a_page_fast_the_second_time(serving, read, client, tmp_path):
    outcome = await run(tmp_path / "store", n=6)
    two = await run(tmp_path / "store", n=4, name="another")
    served = await serving()
    text = await read(f"{served.url}/runs/{outcome.run}/analyses/compare?with={two.run}")
    assert (outcome.run in text, two.run in text) == (True, True)
    for name in registry.names():
        url = f"{served.url}/runs/{outcome.run}/analyses/{name}"
        async with client.get(url) as response:
            assert response.status in {200, 400}, name  # 400: this run has nothing for it
            assert "Traceback" not in await response.text()
        if response.status == 400:
            continue
        began = process_time()
        await read(url)
        assert process_time() - began < 0.2, name


async def test_charts_are_drawn_once_light_dark_and_small(serving, read, client, tmp_path):
    pytest.importorskip("vl_convert")
    outcome = await run(tmp_path / "store", n=6)
    served = await serving()
    text = await read(f"{served.url}/runs/{outcome.run}/analyses/accuracy")
    found = [unescape(each) for each in re.findall(r'(?:src|srcset)="(/runs/[^"]+)"', text)]
    kinds = [("small" in each, "dark" in each) for each in found]
    assert kinds == [(True, True), (True, False), (False, True), (False, False)]
    widths = []
    for address in found:
        drawn = await read(served.url + address)
        assert ("#15181d" in drawn) == ("dark" in address)
        widths.append(float(re.search(r'<svg[^>]* width="([\d.]+)"', drawn)[1]))
        async with client.get(served.url + address) as response:
            assert await response.text() == drawn
            assert "immutable" in response.headers["cache-control"]
    assert max(widths[:2]) <= 340
    assert min(widths[2:]) > 600
    async with client.get(served.url + found[3].partition("?")[0] + "?of=stale") as response:
        assert response.headers["cache-control"] == "no-store"
