"""Judging pairs in a real browser, by keyboard and on a phone."""

import pytest

from contrib.judging.conftest import rows

pytestmark = pytest.mark.soak


async def test_keys_choose_skip_and_undo_and_pages_are_for_everybody(browser, served):
    async with served(rows(30)) as up, browser() as tab:
        page = tab.page
        await page.goto(up.url)
        await tab.sound()
        await page.get_by_label("Your name").fill("Cy")
        await page.keyboard.press("Enter")
        await page.get_by_text("Pair 1 of 30").wait_for()
        await tab.sound()
        await page.keyboard.press("s")
        await page.get_by_text("Pair 2 of 30").wait_for()
        await page.keyboard.press("u")
        await page.get_by_text("Pair 1 of 30").wait_for()
        for number in range(1, 31):
            await page.get_by_text(f"Pair {number} of 30").wait_for()
            first = await page.locator("article").first.inner_text()
            await page.keyboard.press("1" if "gold" in first else "2")
        await page.get_by_role("heading", name="That was all").wait_for()
        await page.get_by_text("30 for the council, 0 for the single reply").wait_for()
        await tab.sound()
        choices = [each.choice for _, each in up.session.entries()]
        assert choices == ["skip", "undo"] + ["council"] * 30
