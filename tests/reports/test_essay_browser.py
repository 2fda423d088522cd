"""The page of an essay in a real browser: it fits, can be read in light and dark, nothing acts."""

from pathlib import Path

import msgspec
import pytest
from playwright.async_api import async_playwright

from moot.reports.essay_page import essay_page
from moot.studies.written import written
from wrote import transcript

CHROMIUM = Path("/usr/bin/chromium")


@pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing")
async def test_the_page_fits_is_readable_and_does_nothing(tmp_path, hostile):
    made = written(transcript(), "ask-1")
    long = f"{'x' * 300} {hostile}"
    bad = msgspec.structs.replace(made, essay=long, proposition=long, plan=None, plan_text=long)
    pages = [tmp_path / "good.html", tmp_path / "bad.html"]
    for page, shown in zip(pages, (made, bad), strict=True):
        page.write_text(essay_page(shown), encoding="utf-8")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox"]
        )
        for scheme, width in (("light", 1200), ("dark", 400)):
            tab = await browser.new_page(
                viewport={"width": width, "height": 900}, color_scheme=scheme
            )
            asked, told = [], []
            tab.on("request", lambda request, asked=asked: asked.append(request.url))
            tab.on("console", lambda message, told=told: told.append(message.text))
            tab.on("dialog", lambda dialog, told=told: told.append(dialog.message))
            for page in pages:
                await tab.goto(page.as_uri())
                assert await tab.evaluate(
                    "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
                )
            paper = await tab.evaluate("getComputedStyle(document.body).backgroundColor")
            assert paper == ("rgb(253, 253, 251)" if scheme == "light" else "rgb(21, 24, 29)")
            assert asked == [page.as_uri() for page in pages]
            assert told == []
        await browser.close()
