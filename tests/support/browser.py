"""Pages in a real browser: Debian's Chromium, which reaches this machine alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import axe_core_python
from playwright.async_api import async_playwright

from support.beside import CHROMIUM

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text("utf-8")
VIOLATIONS = """async (chosen) =>
  (await axe.run(document, {...chosen, resultTypes: ["violations"]})).violations"""
ARGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
TWICE = {(360, "light"), (1200, "dark")}


class Tab:
    """A page in the browser, and all errors of its scripts and of the console."""

    def __init__(self, page) -> None:
        self.page, self.complaints = page, []
        page.on("console", self._told)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _told(self, message) -> None:
        if message.location["url"] == self.page.url:
            return  # the page itself was answered with an error, and that was meant
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    async def accessible(self, chosen=None) -> None:
        """Fail on whatever axe-core finds serious or critical; ``chosen``: by these rules."""
        if not await self.page.evaluate("typeof axe === 'object'"):
            await self.page.evaluate(AXE)  # only pages that are checked take time to read it
        found = await self.page.evaluate(VIOLATIONS, chosen or {})
        bad = [each for each in found if each["impact"] in {"serious", "critical"}]
        told = [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in bad]
        assert not told, told

    async def sound(self) -> None:
        """Fail where it does not fit, or is not for everybody: wide and narrow, light and dark."""
        size = self.page.viewport_size
        for width, scheme in ((1200, "light"), (360, "dark"), (360, "light"), (1200, "dark")):
            await self.page.set_viewport_size({"width": width, "height": size["height"]})
            await self.page.emulate_media(color_scheme=scheme)
            # Contrast is of each; all else is of the width or of neither.
            await self.accessible(COLOURS if (width, scheme) in TWICE else {})
            assert await self.fits(), f"{self.page.url} at {width}"
        await self.page.set_viewport_size(size)
        await self.page.emulate_media(color_scheme="light")

    async def fits(self) -> bool:
        return await self.page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )


@asynccontextmanager
async def started() -> AsyncIterator:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGS)
        yield browser
        await browser.close()


@asynccontextmanager
async def opened(browser, *, width: int = 1200, height: int = 900, **options) -> AsyncIterator[Tab]:
    """A tab of its own; options are those of a context. Its complaints are looked at in the end."""
    context = await browser.new_context(viewport={"width": width, "height": height}, **options)
    context.set_default_timeout(10_000)
    made = Tab(await context.new_page())
    try:
        yield made
        assert not made.complaints, made.complaints
    finally:
        await context.close()
