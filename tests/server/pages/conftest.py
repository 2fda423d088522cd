"""Pages in a real browser: Debian's Chromium, which reaches this machine alone."""

from contextlib import asynccontextmanager
from pathlib import Path

import axe_core_python
import pytest
from playwright.async_api import async_playwright

from moot.models.scripted import Scripted
from served import Gate

CHROMIUM = Path("/usr/bin/chromium")
AXE = Path(axe_core_python.__file__).parent / "axe.min.js"
ARGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


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
        found = await self.page.evaluate("axe.run(document)")
        bad = [each for each in found["violations"] if each["impact"] in {"serious", "critical"}]
        told = [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in bad]
        assert not told, told

    async def fits(self) -> bool:
        """Whether nothing has to be scrolled sideways."""
        return await self.page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )


@pytest.fixture(scope="session")
async def chromium():
    """The browser, started once."""
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is missing")
    async with async_playwright() as playwright:
        made = await playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGS)
        yield made
        await made.close()


@pytest.fixture
async def browser(chromium):
    """Open tabs: ``async with browser(width=…, …) as tab``; options are those of a context."""

    @asynccontextmanager
    async def tab(*, width: int = 1200, height: int = 900, **options):
        context = await chromium.new_context(
            viewport={"width": width, "height": height}, **options
        )
        context.set_default_timeout(10_000)
        await context.add_init_script(path=AXE)
        made = Tab(await context.new_page())
        try:
            yield made
            assert not made.complaints, made.complaints
        finally:
            await context.close()

    return tab


@pytest.fixture
async def panel(serving):
    """A server with a model that waits to be let; the model's gate, opened at the end."""
    gate = Gate()
    server = await serving(
        models=["scripted/panel"], given={"models": [Scripted(gate, name="panel")]}
    )
    server.gate = gate
    yield server
    for each in gate.open:
        each.set()
