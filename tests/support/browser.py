"""Pages in a real browser: Debian's Chromium, which reaches this machine alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import axe_core_python
from playwright.async_api import async_playwright

CHROMIUM = Path("/usr/bin/chromium")
AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text("utf-8")
VIOLATIONS = """async (chosen) =>
  (await axe.run(document, {...chosen, resultTypes: ["violations"]})).violations"""
ARGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--process-per-site",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
FORGET = (
    "() => { if (location.protocol === 'http:') { localStorage.clear(); sessionStorage.clear(); } }"
)

IDLE = "http://127.0.0.1:1/"


class Tab:
    """A page in the browser, with all that it complained about.

    Attributes:
        page: Playwright's.
        complaints: errors of scripts and of the console, e.g. against the content security policy.
    """

    def __init__(self, page) -> None:
        self.page, self.complaints = page, []
        page.on("console", self._told)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _told(self, message) -> None:
        if message.location["url"] == self.page.url:
            return  # the page itself was answered with an error, and that was meant
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    async def accessible(self) -> None:
        """Fail on whatever axe-core finds serious or critical."""
        if not await self.page.evaluate("typeof axe === 'object'"):
            await self.page.evaluate(AXE)  # only pages that are checked take time to read it
        found = await self.page.evaluate(VIOLATIONS, {})
        bad = [each for each in found if each["impact"] in {"serious", "critical"}]
        told = [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in bad]
        assert not told, told

    async def sound(self) -> None:
        """Fail where it does not fit, or is not for everybody: wide and light, narrow and dark.

        A colour depends on light and dark alone, not on the width.
        """
        size = self.page.viewport_size
        for width, scheme in ((1200, "light"), (360, "dark")):
            await self.page.set_viewport_size({"width": width, "height": size["height"]})
            await self.page.emulate_media(color_scheme=scheme)
            await self.accessible()
            assert await self.fits(), f"{self.page.url} at {width}"
        await self.page.set_viewport_size(size)
        await self.page.emulate_media(color_scheme="light")

    async def fits(self) -> bool:
        """Whether nothing has to be scrolled sideways."""
        return await self.page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )


class Tabs:
    """The tabs of a browser: those that are no longer used are used again, as if they were new."""

    def __init__(self, browser) -> None:
        self._browser = browser
        self._free: dict[bool, list[Tab]] = {True: [], False: []}

    async def take(self, *, scripts: bool) -> Tab:
        if self._free[scripts]:
            return self._free[scripts].pop()
        context = await self._browser.new_context(java_script_enabled=scripts)
        context.set_default_timeout(10_000)
        # A page that stays: its process serves all others, which else start one each.
        idle = await context.new_page()
        await idle.route(IDLE, lambda route: route.fulfill(body="", content_type="text/html"))
        await idle.goto(IDLE)
        return Tab(await context.new_page())

    async def give_back(self, tab: Tab, *, scripts: bool) -> None:
        page = tab.page
        await page.unroute_all(behavior="ignoreErrors")
        if scripts:
            await page.evaluate(FORGET)
        await page.goto("about:blank")
        await page.context.clear_cookies()
        tab.complaints.clear()
        self._free[scripts].append(tab)


@asynccontextmanager
async def started() -> AsyncIterator[Tabs]:
    """The browser."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGS)
        yield Tabs(browser)
        await browser.close()


@asynccontextmanager
async def opened(
    tabs: Tabs,
    *,
    width: int = 1200,
    height: int = 900,
    color_scheme: str = "light",
    java_script_enabled: bool = True,
) -> AsyncIterator[Tab]:
    """A tab with nothing of an earlier one. Its complaints are looked at in the end."""
    tab = await tabs.take(scripts=java_script_enabled)
    await tab.page.set_viewport_size({"width": width, "height": height})
    await tab.page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
    try:
        yield tab
        assert not tab.complaints, tab.complaints
    except BaseException:
        await tab.page.context.close()
        raise
    await tabs.give_back(tab, scripts=java_script_enabled)
