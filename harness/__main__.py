"""`python -m harness`. The remote commands do without what statistics and charts load, and stay small in memory."""

import gc
import sys

from harness import remote_cli
from harness.terminal import run_app

# Modules, specifications and frames stay until the end: looking for cycles among them at every turn took a sixth of the
# time that a report takes.
gc.set_threshold(100_000, 50, 50)

if sys.argv[1:2] and sys.argv[1] in remote_cli.COMMANDS:
    run_app(remote_cli.app)
else:
    from harness.cli import app

    app.add_typer(remote_cli.app)
    run_app(app)
