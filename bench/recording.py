"""The pictures of the pages in the README, made again: python bench/recording.py [--out FOLDER].

``--only run`` or ``--only debate`` makes one of them.

Needs Chromium, Playwright and pillow. A server is started with a store of its own; the debate of
its front page, on the embedded model, is followed to the verdict. A picture is taken every quarter
of a second, later on a busy machine; those that differ are the animated docs/images/debate.webp.
The shipped demonstration runs on simulated agents, on 100 sums and with votes at equal tokens; its
page is docs/images/run.webp.
"""

import argparse
import io
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

STUDY = """
name = "demo"
extends = "demo"
equal_budget = true
[[datasets]]
name = "arithmetic"
difficulty = 1
n = 100
"""
CHROMIUM = Path("/usr/bin/chromium")
STEP = 0.25
LAST = 16  # steps for which the verdict is shown
SIZE = {"width": 840, "height": 940}
MOST_BYTES = 1_000_000


def take_frame(page: Page, frames: list[tuple[Image.Image, int]]) -> None:
    """Add a picture of the page, or show the last one longer where nothing has changed."""
    with Image.open(io.BytesIO(page.screenshot())) as drawn:
        frame = drawn.convert("RGB")
    wait = round(STEP * 1000)
    if frames and frames[-1][0].tobytes() == frame.tobytes():
        frames[-1] = (frames[-1][0], frames[-1][1] + wait)
    else:
        frames.append((frame, wait))


def record_debate(page: Page, address: str) -> list[tuple[Image.Image, int]]:
    """Follow the front page's debate to its verdict; return the pictures with their times."""
    frames: list[tuple[Image.Image, int]] = []
    page.goto(address)
    take_frame(page, frames)
    page.get_by_role("link", name="This debate on a page of its own").click()
    end = time.monotonic() + 90
    while time.monotonic() < end and not page.get_by_text("The debate ended").count():
        take_frame(page, frames)
        page.wait_for_timeout(STEP * 1000)
    for _ in range(LAST):
        take_frame(page, frames)
    return frames


def save_frames(frames: list[tuple[Image.Image, int]], path: Path) -> None:
    """Write an animated picture of less than a megabyte."""
    first, *others = [frame for frame, _ in frames]
    for quality in (80, 60, 40, 20):
        first.save(
            path,
            save_all=True,
            append_images=others,
            duration=[wait for _, wait in frames],
            loop=0,
            quality=quality,
            method=6,
        )
        if path.stat().st_size < MOST_BYTES:
            break
    print(f"{path}: {len(frames)} pictures, {path.stat().st_size:,} bytes, quality {quality}")


def picture_run(page: Page, address: str, path: Path) -> None:
    """Keep the first screen of a run's page."""
    page.goto(f"{address}/runs")
    page.get_by_role("link", name=re.compile("demo")).first.click()
    page.wait_for_load_state("networkidle")
    with Image.open(io.BytesIO(page.screenshot())) as drawn:
        drawn.convert("RGB").save(path, quality=85, method=6)
    print(f"{path}: {path.stat().st_size:,} bytes")


def main() -> None:
    """Record both pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    shown = Path(__file__).parents[1] / "docs" / "images"
    parser.add_argument("--out", type=Path, default=shown)
    parser.add_argument("--only", choices=("debate", "run"))
    chosen = parser.parse_args()
    out: Path = chosen.out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as store, sync_playwright() as playwright:
        told = os.environ | {"MOOT_STORE": store, "PYTHONUNBUFFERED": "1"}
        moot = [sys.executable, "-m", "moot"]
        study = Path(store, "demo.toml")
        study.write_text(STUDY, encoding="utf-8")
        demo = [*moot, "run", str(study), "--model", "simulated/people"]
        subprocess.run(demo, env=told, check=True, capture_output=True)
        server = subprocess.Popen(
            [*moot, "serve", "--port", "0"], env=told, stderr=subprocess.PIPE, text=True
        )
        try:
            assert server.stderr is not None
            address = re.findall(r"http://127[^ ]*?:\d+", server.stderr.readline())[0]
            given = {"executable_path": str(CHROMIUM)} if CHROMIUM.exists() else {}
            browser = playwright.chromium.launch(args=["--no-sandbox"], **given)
            page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
            if chosen.only != "run":
                save_frames(record_debate(page, address), out / "debate.webp")
            if chosen.only != "debate":
                picture_run(page, address, out / "run.webp")
            browser.close()
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
