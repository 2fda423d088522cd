"""The pages of runs in a real browser."""

import csv
import re

import pytest
from playwright.async_api import expect

from moot.analyses.worth import describe_worth
from moot.contrib.server.pages import runs_page
from support.stored_runs import debates, fill, hold, mixed, run

pytestmark = pytest.mark.soak


async def opened(page, url):
    """Open a page, once it is worked out."""
    await page.goto(url, timeout=60_000)
    await expect(page).not_to_have_title(re.compile("^(One moment|Waiting)"), timeout=60_000)


async def test_tables_are_sorted_by_a_click_or_a_key(serving, browser, tmp_path):
    outcome = await mixed(tmp_path / "store", n=10)
    served = await serving()
    async with browser() as tab:
        page = tab.page
        await opened(page, f"{served.url}/runs/{outcome.run}")
        await page.locator(".tables summary").first.click()
        table = page.locator("table.sortable").first
        button = table.get_by_role("button", name="Tokens")
        for _ in range(2):
            await button.focus()
            await page.keyboard.press("Enter")
        for band in await table.locator("tbody").all():
            rows = await band.locator("tr:not(.band)").evaluate_all(
                "all => all.map(row => Number(row.querySelectorAll('td')[3].dataset.sort || -1))"
            )
            assert rows == sorted(rows)
        assert await table.locator("th[aria-sort=ascending]").count() == 1


async def test_every_page_is_accessible_and_fits(serving, browser, tmp_path):
    outcome = await mixed(tmp_path / "store", n=12)
    served = await serving()
    pair = f"a={outcome.run}&arm_a=single&arm_b=minds"
    place = "dataset=arithmetic&question=arithmetic-4-0-3"
    async with browser() as tab:
        parts = ("", "/debates?q=result", "/debates?show=failed", "/settings", "/results")
        for path in (
            *(f"/runs/{outcome.run}{part}" for part in parts),
            f"/runs/{outcome.run}/analyses/debate-metrics?arms=minds",
            f"/runs/{outcome.run}/matrix?show=disagree",
            f"/runs/{outcome.run}/figures",
            *("/runs", "/compare", f"/compare?{pair}", f"/compare/debates?{pair}&{place}"),
        ):
            await opened(tab.page, served.url + path)
            await tab.sound()


async def test_the_matrix_is_read_by_keys_and_scrolls_through_all_rows(serving, browser, tmp_path):
    held = await debates(tmp_path / "few", n=20)
    await fill(tmp_path / "store", held, key="many-1", n=1_500)
    served = await serving()
    async with browser() as tab:
        page, asked = tab.page, []
        page.on("request", lambda sent: asked.append(sent.url) if "matrix.json" in sent.url else 0)
        await opened(page, f"{served.url}/runs/many-1")
        window, rows = page.locator("#matrix .window"), page.locator("#matrix tbody tr:not(.room)")
        await expect(page.locator("#matrix .shown")).to_have_text("1,500 questions.")
        assert await rows.count() < 100
        await expect(rows.first.locator("a").first).to_have_attribute("tabindex", "0")
        assert not asked  # the rows that came with the page are those that are shown
        await window.focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowRight", "End"):
            await page.keyboard.press(key)
        last = page.locator("#matrix tr[aria-rowindex='1501']")
        await expect(last.locator("td").nth(1).locator("a")).to_be_focused()
        await expect(last.locator("th")).not_to_have_text("…")
        assert await rows.count() < 100
        assert "q1499" in await last.locator("th").get_attribute("title")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/debates/many-1?arm=single*question=q1499*")
        await page.go_back()
        await expect(page.locator("#matrix .shown")).to_have_text("1,500 questions.")
        await page.keyboard.press("/")
        await expect(page.locator("#matrix-q")).to_be_focused()
        await page.keyboard.type("q1499")
        await expect(page.locator("#matrix .shown")).to_have_text("1 question with “q1499”.")
        await page.locator("#matrix-q").fill("")
        await page.locator("#matrix [data-show=disagree]").click()
        shown = page.locator("#matrix [data-show=disagree] small")
        await expect(page.locator("#matrix [data-show=disagree]")).to_have_attribute(
            "aria-current", "true"
        )
        count = await shown.inner_text()
        await expect(page.locator("#matrix .shown")).to_have_text(f"{count} questions.")
        for row in (await rows.all())[:20]:
            marks = await row.locator("td a").evaluate_all("all => all.map(a => a.className)")
            assert "r" in marks
            assert {*marks} != {"r"}


async def test_a_table_is_copied_in_three_forms(serving, browser, tmp_path):
    outcome = await run(tmp_path / "store", n=10)
    served = await serving()
    async with browser(permissions=["clipboard-read", "clipboard-write"]) as tab:
        page = tab.page
        await opened(page, f"{served.url}/runs/{outcome.run}")
        menu = page.locator(".copy").first
        await menu.locator("summary").click()
        copied = {}
        for form in ("Markdown", "LaTeX", "CSV"):
            await menu.get_by_role("button", name=form).click()
            await expect(menu.get_by_role("status")).to_have_text("Copied.")
            copied[form] = await page.evaluate("navigator.clipboard.readText()")
        for arm in outcome.results.arms:
            right = f"{100 * arm.accuracy.mean:.1f}"
            for text in copied.values():
                [line] = [each for each in text.splitlines() if re.match(rf"(\| )?{arm.arm}", each)]
                assert right in line
        assert copied["Markdown"].splitlines()[1].startswith("| --- | ---: |")
        assert r"\toprule" in copied["LaTeX"]
        assert r"$\pm$" in copied["LaTeX"]
        records = list(csv.reader(copied["CSV"].splitlines()))
        assert {len(record) for record in records} == {len(records[0])}
        refuse = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }"
        await page.evaluate(refuse)
        await page.evaluate("() => { document.execCommand = () => false; }")
        await menu.get_by_role("button", name="CSV").click()
        await expect(menu.get_by_role("status")).to_have_text("Copy the marked text.")
        assert await menu.locator("textarea").input_value() == copied["CSV"]
        await tab.accessible()


async def test_the_list_fills_in_sentences_that_were_not_ready(
    serving, browser, tmp_path, monkeypatch
):
    outcome = await run(tmp_path / "store", n=10)
    served = await serving()
    monkeypatch.setattr(runs_page, "EARLY", 0.0)
    async with browser() as tab:
        await opened(tab.page, f"{served.url}/runs")
        [sentence, *_] = describe_worth(outcome.results)
        await expect(tab.page.locator("p.given")).to_have_text(sentence)
        await tab.accessible()


async def test_a_run_that_ends_offers_its_page_anew(serving, browser, tmp_path):
    process, key = await hold(tmp_path / "store", 60)
    served = await serving()
    async with browser() as tab:
        page = tab.page
        await opened(page, f"{served.url}/runs/{key}")
        again = page.get_by_role("link", name="Load the page again for all questions and debates.")
        await expect(again).to_be_visible(timeout=60_000)
        await process.wait()
        await expect(page.locator("#progress .state")).to_have_class("state done")
        await again.click()
        await expect(page.locator("#matrix .shown")).to_have_text("60 questions.")
        await expect(page.locator("#behind")).to_have_count(0)
