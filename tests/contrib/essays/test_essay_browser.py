"""The page of an essay in a real browser: it fits, can be read in light and dark, nothing acts."""

import msgspec
import pytest

from moot.contrib.essays.essay_forms import essay_page
from moot.contrib.essays.written import describe_essay
from support.essays import transcript


@pytest.mark.soak
async def test_the_page_fits_is_readable_and_does_nothing(browser, tmp_path, hostile):
    made = describe_essay(transcript(), "ask-1")
    long = f"{'x' * 300} {hostile}"
    bad = msgspec.structs.replace(made, essay=long, proposition=long, plan=None, plan_text=long)
    pages = [tmp_path / "good.html", tmp_path / "bad.html"]
    for file, shown in zip(pages, (made, bad), strict=True):
        file.write_text(essay_page(shown), encoding="utf-8")
    async with browser(width=400, color_scheme="dark") as tab:
        asked, told = [], []
        tab.page.on("request", lambda request: asked.append(request.url))
        tab.page.on("dialog", lambda dialog: told.append(dialog.message))
        for file in pages:
            await tab.page.emulate_media(color_scheme="dark")
            await tab.page.goto(file.as_uri())
            paper = await tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert paper == "rgb(21, 24, 29)"
            await tab.sound()
            paper = await tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert paper == "rgb(253, 253, 251)"
        assert asked == [file.as_uri() for file in pages]
        assert told == []
