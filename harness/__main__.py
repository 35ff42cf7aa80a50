"""`python -m harness`. The remote commands do without what statistics and charts load, and stay small in memory."""

from __future__ import annotations

import sys

from harness.cli import remote
from harness.cli.terminal import run_app


def main() -> None:
    """Run the command line, and end the process."""
    if sys.argv[1:2] and sys.argv[1] in remote.COMMANDS:
        run_app(remote.app)
    else:
        from harness.cli import checking, estimating, importing, mirroring, profiling, replaying  # noqa: PLC0415
        from harness.cli.commands import app  # noqa: PLC0415

        app.add_typer(checking.app)
        app.add_typer(estimating.app)
        app.add_typer(importing.app)
        app.add_typer(mirroring.app)
        app.add_typer(profiling.app)
        app.add_typer(replaying.app)
        app.add_typer(remote.app)
        run_app(app)


if __name__ == "__main__":
    main()
