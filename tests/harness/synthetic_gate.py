"""The command line on synthetic runs, which have no evidence that could be read again: `python -m tests.harness.…`."""

import runpy
from unittest.mock import patch

with patch("harness.cli.gating.evidence_faults", lambda _ledger: iter(())):
    runpy.run_module("harness", run_name="__main__")
