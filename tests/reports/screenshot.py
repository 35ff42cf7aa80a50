"""A picture of the top of a report, for the README; `--numbered` marks what docs/sample-report.md explains.

python -m tests.reports.screenshot results/quick/latest/report/index.html docs/report.png
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.reports.chromium import ARGUMENTS, find_chromium

_SCREEN = {"width": 1200, "height": 1240}
REGIONS = (
    ".masthead", ".question", ".headline", ".lede", "table.glance thead", "tr.recommended",
    "table.glance tbody tr:last-child", "p.legend", ".group > details > summary",
    "p.legend ~ p.legend, .group ~ p.legend", 'ul[aria-label="What is open"]', "nav",
)  # fmt: skip
"""The regions of the first screen, in the order of the page, as docs/sample-report.md numbers them."""
_MARK = """(regions) => regions.forEach((region, place) => {
    const box = document.querySelector(region).getBoundingClientRect();
    const mark = document.createElement("span");
    mark.textContent = place + 1;
    mark.style.cssText = `position:absolute; left:${box.left - 40}px; top:${box.top + scrollY + box.height / 2 - 13}px;
        width:26px; height:26px; border-radius:13px; background:#7a3e9d; color:#fff; font:600 14px/26px sans-serif;
        text-align:center;`;
    document.body.append(mark);
})"""


def picture(page: Path, into: Path, *, numbered: bool = False) -> None:
    """The first screen, light, 1200 pixels wide."""
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS) as browser,
    ):
        context = browser.new_context(offline=True, viewport=_SCREEN, color_scheme="light")  # type: ignore[arg-type]
        tab = context.new_page()
        tab.goto(page.resolve().as_uri())
        tab.wait_for_function("document.documentElement.dataset.drawn !== undefined")
        if numbered:
            tab.evaluate(_MARK, list(REGIONS))
        tab.screenshot(path=into)


if __name__ == "__main__":
    picture(Path(sys.argv[1]), Path(sys.argv[2]), numbered="--numbered" in sys.argv)
