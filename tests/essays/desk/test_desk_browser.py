"""The desk in a real browser: documents, an essay that is followed, and a page for everybody."""

from playwright.async_api import expect

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
        await page.set_input_files("#files", files)
        await expect(page.locator("#documents li")).to_have_count(2)
        await expect(page.locator("#documents .error")).to_have_text(
            "bad.txt: it is no UTF-8 (byte 0)"
        )
        await expect(page.locator("#proposition")).to_have_value(PROPOSITION)
        await tab.sound()
        await page.get_by_role("button", name=f"Remove {LONG}.txt").click()
        await expect(page.locator("#documents li")).to_have_count(1)
        await expect(page.locator("#proposition")).to_have_value(PROPOSITION)
        await page.locator("#proposition").press("Control+Enter")
        await page.wait_for_url("**/essays/**")
        await expect(page.locator("#writing")).to_contain_text("Being written")
        await expect(page.locator(".essay")).to_be_visible(timeout=20_000)
        await expect(page.locator("#writing")).not_to_contain_text("Being written")
        await expect(page.get_by_text("fees.md:1")).to_be_visible()
        await tab.sound()


async def test_without_a_script_documents_come_with_the_form(browser, serving, tmp_path):
    file = tmp_path / "fees.md"
    file.write_text("Museums live on fees.")
    server = await serving(models=[PEOPLE])
    async with browser(java_script_enabled=False) as tab:
        page = tab.page
        await page.goto(f"{server.url}/write?protocol=essay-plan")
        await page.fill("#proposition", PROPOSITION)
        await page.set_input_files("#files", file)
        await page.get_by_role("button", name="Upload").click()
        await expect(page.locator("#documents li")).to_have_count(1)
        await expect(page.locator("#proposition")).to_have_value(PROPOSITION)
        await page.get_by_role("button", name="Write").click()
        await page.wait_for_url("**/essays/**")
