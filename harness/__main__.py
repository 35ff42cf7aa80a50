"""`python -m harness`. The remote commands do without what statistics and charts load, and stay small in memory."""

import sys

from harness.cli import remote
from harness.cli.terminal import run_app

if sys.argv[1:2] and sys.argv[1] in remote.COMMANDS:
    run_app(remote.app)
else:
    from harness.cli import estimating
    from harness.cli.commands import app

    app.add_typer(estimating.app)
    app.add_typer(remote.app)
    run_app(app)
