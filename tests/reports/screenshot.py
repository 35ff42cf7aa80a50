"""A picture of the top of a report, for the README.

python -m tests.reports.screenshot results/quick/latest/report/index.html docs/report.png
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.reports.chromium import ARGUMENTS, find_chromium

_SCREEN = {"width": 1200, "height": 1240}


def picture(page: Path, into: Path) -> None:
    """The first screen, light, 1200 pixels wide."""
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS) as browser,
    ):
        context = browser.new_context(offline=True, viewport=_SCREEN, color_scheme="light")  # type: ignore[arg-type]
        tab = context.new_page()
        tab.goto(page.resolve().as_uri())
        tab.wait_for_function("document.documentElement.dataset.drawn !== undefined")
        tab.screenshot(path=into)


if __name__ == "__main__":
    picture(Path(sys.argv[1]), Path(sys.argv[2]))
