"""Judging pairs in a real browser, by keyboard and on a phone."""

import pytest

from contrib.judging.conftest import rows

pytestmark = pytest.mark.soak


async def reach(page, number):
    """Wait for a pair, and for the script that takes its keys."""
    await page.get_by_text(f"Pair {number} of 30").wait_for()
    await page.wait_for_load_state("load")


async def test_keys_choose_skip_and_undo_and_pages_are_for_everybody(browser, served):
    async with served(rows(30)) as up, browser() as tab:
        page = tab.page
        await page.goto(up.url)
        await tab.sound()
        await page.get_by_label("Your name").fill("Cy")
        await page.keyboard.press("Enter")
        await reach(page, 1)
        await tab.sound()
        await page.keyboard.press("s")
        await reach(page, 2)
        await page.keyboard.press("u")
        await reach(page, 1)
        for number in range(1, 31):
            await reach(page, number)
            first = await page.locator("article").first.inner_text()
            await page.keyboard.press("1" if "gold" in first else "2")
        await page.get_by_role("heading", name="That was all").wait_for()
        await page.get_by_text("30 for the council, 0 for the single reply").wait_for()
        await tab.sound()
        choices = [each.choice for _, each in up.session.entries()]
        assert choices == ["skip", "undo"] + ["council"] * 30
