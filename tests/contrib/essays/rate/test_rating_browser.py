"""Comparing essays in a real browser."""

import asyncio
import re

import pytest
from playwright.async_api import expect

from moot.contrib.essays.rate.sheets import ASPECTS
from support.essays import fill, forbidden, judging

pytestmark = pytest.mark.soak


def radio(page, aspect, essay, place):
    return page.locator(f'input[name="{aspect}-{essay}"][value="{place}"]')


async def chosen(page) -> list[str]:
    """The places that a page shows as chosen, by name."""
    return await page.locator("input:checked").evaluate_all(
        "all => all.map(each => `${each.name}=${each.value}`)"
    )


async def rank(page, places, *, aspects=ASPECTS) -> None:
    """Choose places for the essays as they stand."""
    for aspect in aspects:
        for essay, place in enumerate(places, start=1):
            await radio(page, aspect, essay, place).check(force=True)


async def test_ranks_ties_reloads_and_two_raters_at_once(browser, tmp_path):
    await fill(tmp_path / "store", 2)
    async with (
        judging(tmp_path / "store", raters=["Ann", "Bo"]) as up,
        browser() as ann,
        browser(width=360) as bo,
        browser() as other,
    ):
        for tab, name in ((ann, "Ann"), (bo, "Bo")):
            await tab.page.goto(up.link(name))
            assert await tab.fits()
            await tab.page.get_by_role("link", name="Begin").click()
            await tab.page.get_by_role("heading", name="Essay 3").wait_for()
        told = ann.page.locator("#told")
        await asyncio.gather(rank(ann.page, (1, 1, 3)), rank(bo.page, (3, 2, 1)))
        await expect(told).to_have_text("All 6 places saved")
        await expect(bo.page.locator("#told")).to_have_text("All 6 places saved")
        await expect(ann.page.locator("#done")).to_have_text("1")
        assert await bo.fits()
        await bo.accessible()
        await ann.page.reload()
        both = [
            f"{aspect}-{n}={place}"
            for aspect in ASPECTS
            for n, place in zip("123", "113", strict=True)
        ]
        assert await chosen(ann.page) == both
        with forbidden(tmp_path / "store"):
            await radio(ann.page, "quality", 1, 2).check(force=True)
            await expect(told).to_have_text(re.compile("Not saved: the store cannot be writ"))
        await expect(told).to_have_text("All 6 places saved")
        await radio(ann.page, "quality", 1, 1).check(force=True)
        await expect(told).to_have_text("All 6 places saved")
        # in another browser it is changed; this one, loaded before, does not change it back
        await other.page.goto(ann.page.url)
        await radio(other.page, "quality", 2, 2).check(force=True)
        await expect(other.page.locator("#told")).to_have_text("All 6 places saved")
        await ann.page.get_by_role("button", name="Next").click()
        await ann.page.get_by_text("Proposition 2 of 2").wait_for()
        await ann.page.get_by_role("button", name="Back").click()
        await expect(radio(ann.page, "quality", 2, 2)).to_be_checked()
        assert [row async for row in places_of(up, "Ann")] == [
            ("persuasiveness", (1, 1, 3)),
            ("quality", (1, 2, 3)),
        ]
        assert [row async for row in places_of(up, "Bo")] == [
            (aspect, (3, 2, 1)) for aspect in ASPECTS
        ]


async def places_of(up, name):
    """What counts of a rater's first sheet: each aspect's places in the order of the page."""
    rater = next(each for each in up.judging.invited if each.name == name)
    sheet = up.sheet(1)
    places = up.judging.places(rater)[sheet.item]
    for aspect in ASPECTS:
        yield aspect, tuple(places[aspect, arm] for arm in sheet.order(rater))


async def test_by_keyboard_alone_to_the_end_in_the_dark(browser, tmp_path):
    await fill(tmp_path / "store", 2)
    async with judging(tmp_path / "store") as up, browser(color_scheme="dark") as tab:
        page = tab.page
        await page.goto(up.url)
        await tab.accessible()
        await page.get_by_label("Your name").focus()
        await page.keyboard.type("Cy")
        await page.keyboard.press("Enter")
        await page.get_by_role("link", name="Begin").focus()
        await tab.accessible()
        await page.keyboard.press("Enter")
        await page.get_by_text("Proposition 1 of 2").wait_for()
        await page.wait_for_load_state()  # only then its script knows keys
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")  # the second link that is skipped to leads to the ranking
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Space")  # what every radio button does: 1
        await page.keyboard.press("ArrowRight")  # 2
        await page.keyboard.press("Tab")
        for digit in "13231":  # goes on by itself
            await page.keyboard.press(digit)
        await expect(page.locator("#told")).to_have_text("All 6 places saved")
        rows = zip(("persuasiveness",) * 3 + ("quality",) * 3, "123123", "213231", strict=True)
        assert await chosen(page) == [f"{aspect}-{n}={place}" for aspect, n, place in rows]
        await page.keyboard.press("n")
        await page.get_by_text("Proposition 2 of 2").wait_for()
        await page.wait_for_load_state()
        await radio(page, "persuasiveness", 1, 1).focus()
        for digit in "111111":
            await page.keyboard.press(digit)
        assert await page.evaluate("document.activeElement.textContent") == "Finish"
        await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="That was all").wait_for()
        await tab.accessible()
