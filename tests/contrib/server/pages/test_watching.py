"""Asking and watching a debate in a real browser, by mouse, by keyboard, and without a script."""

import asyncio

import pytest

from support.server import QUESTION, ask


async def test_a_debate_appears_message_by_message_before_it_is_over(panel, browser):
    async with browser() as tab:
        page = tab.page
        await ask(page, panel.url)
        await page.wait_for_selector("#outcome .live")
        assert await page.locator("article.message:not(.draft)").count() == 0
        panel.gate.open[0].set()
        await page.wait_for_selector("#m3")
        assert await page.locator(".result").count() == 0
        assert await page.locator("#part-0-4 .message:not(.draft)").count() == 0
        await page.locator("#all3 summary").click()
        link = page.locator("#m3 a.prompt")
        await link.focus()
        panel.gate.open[1].set()
        await page.wait_for_selector(".result")
        await page.wait_for_selector("text=Settings")
        assert await page.locator("article.message").count() == 6
        assert "by majority" in await page.inner_text("#outcome")
        assert await page.locator("#all3").get_attribute("open") is not None
        assert await page.evaluate("document.activeElement.closest('article')?.id") == "m3"
        assert "Verdict: B" in await page.inner_text("#told")
        assert await page.locator("[http-equiv=refresh]").count() == 0


@pytest.mark.soak
async def test_a_debate_is_asked_for_and_read_by_keyboard_alone(panel, browser):
    for each in panel.gate.open:
        each.set()
    async with browser() as tab:
        page, keys = tab.page, tab.page.keyboard
        await page.goto(f"{panel.url}/ask")
        assert await page.evaluate("document.activeElement.id") == "question"
        await keys.type(QUESTION)
        while await page.evaluate("document.activeElement.id") != "choices":
            await keys.press("Tab")
        await keys.type("It rises")
        await keys.press("Enter")
        await keys.type("It stays")
        for _ in range(30):
            await keys.press("Tab")
            if await page.evaluate("document.activeElement.parentElement.id") == "settings":
                await keys.press("Enter")  # unfolds them
            if await page.evaluate("document.activeElement.id") == "set-rounds":
                await keys.type("3")  # the field's content is selected when it is come to
                break
        await keys.press("Enter")
        await page.wait_for_url("**/debates/**")
        await page.wait_for_selector("text=Settings")
        assert await page.locator("article.message").count() == 9
        async with asyncio.timeout(20):
            while not await page.evaluate("document.activeElement.matches('#m2 a.prompt')"):
                await keys.press("Tab")
        assert await page.evaluate(
            "getComputedStyle(document.activeElement).outlineStyle != 'none'"
        )
        await keys.press("Enter")
        await page.wait_for_selector("dialog[open]")
        await keys.press("Escape")
        await page.wait_for_selector("dialog[open]", state="detached")
