"""`python -m harness`. The remote commands do without what statistics and charts load, and stay small in memory."""

import sys

from harness.cli import remote as remote_cli
from harness.cli.terminal import run_app

if sys.argv[1:2] and sys.argv[1] in remote_cli.COMMANDS:
    run_app(remote_cli.app)
else:
    from harness.cli.commands import app

    app.add_typer(remote_cli.app)
    run_app(app)
