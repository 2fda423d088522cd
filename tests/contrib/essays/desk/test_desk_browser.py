"""The desk in a real browser: documents, an essay that is followed, and a page for everybody."""

import pytest
from playwright.async_api import expect


async def press_until(page, wanted, most: int = 40) -> None:
    """Press Tab until something has the focus."""
    for _ in range(most):
        await page.keyboard.press("Tab")
        if await wanted.evaluate("each => each === document.activeElement"):
            return
    raise AssertionError(f"{wanted} has not the focus after {most} times Tab")


pytestmark = pytest.mark.soak
PEOPLE = "simulated/people"
SLOW = "simulated/people?latency=0.15"
PROPOSITION = "Museums should be free of charge."
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"


async def test_documents_are_uploaded_an_essay_is_followed_and_all_fits(browser, serving, tmp_path):
    files = [tmp_path / "fees.md", tmp_path / f"{LONG}.txt", tmp_path / "bad.txt"]
    for file, content in zip(
        files, (b"Museums live on fees.", b"Free for all.", b"\xff"), strict=True
    ):
        file.write_bytes(content)
    server = await serving(models=[SLOW])
    async with browser() as tab:
        page = tab.page
        await page.goto(f"{server.url}/write")
        await page.fill("#proposition", PROPOSITION)
        await page.check("[value=oppose]")
        await page.set_input_files("#files", files)
        await expect(page.locator("#documents li")).to_have_count(2)
        await expect(page.locator("#documents .error")).to_have_text(
            "bad.txt: it is no UTF-8 (byte 0), and its coding is not clear; save it as UTF-8"
        )
        await expect(page.locator("#proposition")).to_have_value(PROPOSITION)
        await open_all(page)
        await tab.sound()
        await page.get_by_role("button", name=f"Remove {LONG}.txt").click()
        await expect(page.locator("#documents li")).to_have_count(1)
        await expect(page.locator("#proposition")).to_have_value(PROPOSITION)
        await page.locator("#proposition").press("Control+Enter")
        await page.wait_for_url("**/essays/**")
        await expect(page.locator("#writing")).to_contain_text("Being written")
        await expect(page.locator(".essay")).to_be_visible(timeout=20_000)
        await expect(page.locator("#writing")).not_to_contain_text("Being written")
        await expect(page.get_by_text("[1] fees.md:1")).to_be_visible()
        await open_all(page)  # the forms to go on from its team, plan and words
        await tab.sound()


async def test_what_was_not_sent_is_there_again_until_it_is_sent(browser, serving):
    server = await serving(models=[PEOPLE])
    async with browser() as tab:
        page = tab.page
        await page.goto(f"{server.url}/write")
        await page.fill("#proposition", PROPOSITION)
        await page.reload()
        await expect(page.locator("#proposition")).to_have_value(PROPOSITION)
        await expect(page.locator(".unsent")).to_contain_text("did not send")
        await page.check("[value=oppose]")
        await page.select_option("#until", "selection")
        await page.get_by_role("button", name="Write").click()
        await page.wait_for_url("**/essays/**")
        team = page.locator("#next-selection")
        who = team.get_by_label("Who it is").first
        await expect(who).not_to_be_empty()
        before = await who.input_value()
        await who.fill("A warden")
        await team.get_by_label("What it holds").last.fill("Somebody is missing.")
        address = page.url.partition("?")[0]
        await page.close()
        page = tab.page = await tab.page.context.new_page()
        await page.goto(address)
        who = page.locator("#next-selection").get_by_label("Who it is").first
        await expect(who).to_have_value("A warden")
        await tab.sound()
        await page.get_by_role("button", name="Debate and plan").click()
        await expect(page.locator("#next-error")).to_contain_text("say who it is")
        await expect(who).to_have_value("A warden")
        await page.goto(address)  # an error is no end: nothing was sent
        await expect(who).to_have_value("A warden")
        team = page.locator("#next-selection")
        await team.get_by_label("What it holds").last.fill("")
        await page.get_by_role("button", name="Debate and plan").click()
        await page.wait_for_url(lambda url: not url.startswith(address))
        await expect(page.locator("#next-plan")).to_be_visible(timeout=20_000)
        await page.goto(address)
        await expect(who).to_have_value(before)
        await expect(page.locator(".unsent")).to_have_count(0)
        await page.goto(f"{server.url}/write")
        await expect(page.locator("#proposition")).to_have_value("")
        await page.fill("#proposition", PROPOSITION)
        await page.reload()
        await page.get_by_role("button", name="Discard it").click()
        await expect(page.locator("#proposition")).to_have_value("")
        await page.reload()
        await expect(page.locator(".unsent")).to_have_count(0)


async def open_all(page) -> None:
    """Open everything that is folded."""
    await page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")


async def test_an_essay_is_revised_by_keyboard_alone(browser, serving):
    server = await serving(models=[PEOPLE])
    async with browser() as tab:
        page = tab.page
        await page.goto(f"{server.url}/write?protocol=essay-plan")
        await page.keyboard.type(PROPOSITION)  # it has the focus
        await press_until(page, page.locator("[name='set.stance']").first)
        await page.keyboard.press("Space")
        await expect(page.locator("button.main")).to_contain_text("Write against it")
        await page.keyboard.press("Control+Enter")
        await expect(page.locator(".essay")).to_be_visible(timeout=20_000)
        await press_until(page, page.locator("summary", has_text="Revise it"))
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        await page.keyboard.type("Begin with the guards.")
        await page.keyboard.press("Tab")
        await page.keyboard.press("ArrowUp")  # two of them
        await open_all(page)
        await tab.sound()
        before = page.url
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.wait_for_url(lambda url: url != before)
        await expect(page.locator(".essay")).to_have_count(2, timeout=20_000)
