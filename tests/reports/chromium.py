"""The browser that reports are looked at with."""

import shutil

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def find_chromium() -> str:
    """Its path."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    assert executable, "this needs Chromium: apt-get install chromium"
    return executable
