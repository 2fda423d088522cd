"""Asking and watching a debate in a real browser, by mouse, by keyboard, and without a script."""

import asyncio

import pytest

from moot.core.calls import Reply
from moot.models.scripted import Scripted
from support.server import QUESTION, ask

NASTY = (
    "<script>document.title='bad'</script><img src=x onerror=document.title='bad'>"
    "<a href='javascript:document.title=1'>x</a><svg onload=document.title='bad'>"
    "\x1b[31m \u202eltr\u2066 </p></article></main></textarea><!--"
)


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
async def test_who_changed_its_mind_is_marked_in_words_and_in_the_drawing(panel, browser):
    for each in panel.gate.open:
        each.set()
    async with browser() as tab:
        page = tab.page
        await ask(page, panel.url)
        await page.wait_for_selector(".result")
        assert "changed its mind: A → B" in " ".join((await page.inner_text("#m5")).split())
        assert await page.locator(".change").count() == 1
        assert await page.locator("svg .changed").count() == 1
        assert await page.locator("svg a").count() == 6
        assert await page.locator("svg path.line").count() == 9
        await page.locator("svg a[href='#m5']").hover()
        await page.wait_for_selector("svg path.shown", state="attached")
        assert await page.locator("svg path.shown").count() == 3
        await page.locator("svg a[href='#m2']").click()
        assert page.url.endswith("#m2")
        tops = [await page.locator(f"#m{n}").bounding_box() for n in (1, 2, 3, 5)]
        assert tops[0]["y"] == tops[1]["y"] == tops[2]["y"] < tops[3]["y"]
        assert tops[1]["x"] == tops[3]["x"]
        colours = await page.evaluate(
            "[...document.querySelectorAll('.choices .chip')]"
            ".map((each) => getComputedStyle(each).backgroundColor)"
        )
        assert len(set(colours)) == 2


@pytest.mark.soak
async def test_the_prompt_is_one_click_away_and_goes_again(panel, browser):
    for each in panel.gate.open:
        each.set()
    async with browser() as tab:
        page = tab.page
        await ask(page, panel.url)
        await page.wait_for_selector("text=Settings")
        await page.locator("#m5 a.prompt").click()
        dialog = page.locator("dialog[open]")
        await dialog.wait_for()
        told = await dialog.inner_text()
        assert "Prompt: user" in told
        assert "The ice comes down as water." in told
        assert "temperature 0.7" in told
        await tab.accessible()
        await page.keyboard.press("Escape")
        assert await dialog.count() == 0
        assert await page.evaluate("document.activeElement.closest('article')?.id") == "m5"
        await page.locator("#m5 a.prompt").click()
        await page.get_by_role("link", name="On a page of its own").click()
        await page.wait_for_selector("h1:has-text('#5')")
        await tab.accessible()
        await page.get_by_role("link", name="The debate").click()
        await page.wait_for_url("**#m5")


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
        reached = set()
        for _ in range(80):
            await keys.press("Tab")
            where = await page.evaluate(
                "(({className, href, tagName}) => [className.baseVal ?? className, "
                "href?.baseVal ?? href ?? '', tagName, "
                "getComputedStyle(document.activeElement).outlineStyle])(document.activeElement)"
            )
            reached.add(where[1])
            if where[0] == "prompt" and "/2?" in where[1]:
                assert where[3] != "none"
                break
        assert "#m2" in reached  # in the drawing
        await keys.press("Enter")
        await page.wait_for_selector("dialog[open]")
        await keys.press("Escape")
        await page.wait_for_selector("dialog[open]", state="detached")


@pytest.mark.soak
async def test_a_hostile_debate_stays_text_in_a_browser(serving, browser):
    def says(call):
        return Reply(text=f"{NASTY * call.scene.turn}\nFinal answer: {NASTY}")

    server = await serving(models=["scripted/bad"], given={"models": [Scripted(says, name="bad")]})
    async with browser(width=360) as tab:
        page = tab.page
        await ask(page, server.url, NASTY, "")
        await page.wait_for_selector("text=Settings")
        assert await page.title() != "bad"
        assert await page.locator("main img, main svg[onload], main script").count() == 0
        assert "<script>document.title" in await page.inner_text("#m1")
        assert "‹U+202E›" in await page.inner_text("#m1")
        assert await tab.fits()
        await page.locator("#m6 a.prompt").click()
        await page.wait_for_selector("dialog[open]")
        assert "<script>document.title" in await page.inner_text("dialog[open]")
        assert await page.locator("dialog img, dialog script").count() == 0
        await tab.accessible()


@pytest.mark.soak
async def test_a_lost_connection_is_taken_up_again(panel, browser):
    async with browser() as tab:
        page = tab.page
        cut = asyncio.Event()

        async def lose(route):
            if cut.is_set():
                await route.continue_()
            else:
                cut.set()
                body = 'retry: 100\n\nid: 1\nevent: change\ndata: {"parts": [], "told": ""}\n\n'
                await route.fulfill(status=200, content_type="text/event-stream", body=body)

        await page.route("**/events?*", lose)
        await ask(page, panel.url)
        panel.gate.open[0].set()
        await page.wait_for_selector("#m3")
        panel.gate.open[1].set()
        await page.wait_for_selector("text=Settings")
        assert await page.locator("article.message").count() == 6
