"""Pages in a browser: at every width, in light and dark, without a script, for everybody."""

import pytest

from support.server import QUESTION, ask

pytestmark = pytest.mark.soak


async def test_every_page_fits_and_is_accessible(panel, browser):
    async with browser(width=360, height=740, color_scheme="dark") as tab:
        page = tab.page
        await page.goto(f"{panel.url}/ask")
        dark = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert dark == "rgb(20, 23, 27)"
        await page.locator("#settings summary").click()
        await page.locator("#more summary").click()
        await tab.sound()
        light = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert light != dark
        long = "Donaudampfschifffahrtsgesellschaft" * 9
        await ask(page, panel.url, f"{QUESTION} {long}", f"It rises\n{long}")
        panel.gate.open[0].set()
        await page.wait_for_selector("#m3")
        await tab.sound()
        panel.gate.open[1].set()
        await page.wait_for_selector("text=Settings")
        for summary in await page.locator("summary").all():
            await summary.click()
        await tab.sound()
        await page.goto(await page.locator("#m5 a.prompt").evaluate("(link) => link.href"))
        await tab.sound()
        await page.goto(f"{panel.url}/debates/nothing")
        await tab.sound()
