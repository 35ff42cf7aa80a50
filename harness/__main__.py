"""`python -m harness`."""

from harness.cli import app
from harness.terminal import run_app

run_app(app)
