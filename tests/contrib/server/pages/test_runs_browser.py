"""The pages of runs in a real browser."""

import re

import pytest
from playwright.async_api import expect

from support.stored_runs import mixed

pytestmark = pytest.mark.soak


async def opened(page, url):
    """Open a page, once it is worked out."""
    await page.goto(url)
    await expect(page).not_to_have_title(re.compile("^One moment"), timeout=60_000)


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
            *("/runs", "/compare", f"/compare?{pair}", f"/compare/debates?{pair}&{place}"),
        ):
            await opened(tab.page, served.url + path)
            await tab.sound()
