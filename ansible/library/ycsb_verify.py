#!/usr/bin/python
"""Recompute the stored documents and compare.

Runs the verifier over all documents, or a sample, and leaves <name>.json. With `turns` it waits until the other trials
of the block have come so far. Documents that differ are no failure of
this module - they are a finding, judged from the evidence.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.clients.java import CLIENT_ARGUMENTS, JavaRun
from ansible.module_utils.pressgauge.clients.turns import TURNS, begin
from ansible.module_utils.pressgauge.failures import run_module

RETURN = r"""
verification: {type: dict, returned: success, description: The content of <name>.json.}
"""

ARGUMENTS: dict[str, Any] = {
    **CLIENT_ARGUMENTS,
    "name": {"type": "str", "default": "verify"},  # Names the files that it leaves
    "documents_after_load": {"type": "int", "required": True},  # Documents the load had to store
    # Records {first, count} that run phases put on top of the load; {deleted, restored} of those of the load that are
    # {client}'s of so many {clients}.
    "inserted": {"type": "list", "elements": "dict", "default": []},
    "sample": {"type": "int", "default": 0},  # Documents to check, evenly spread; 0 checks all
    "turns": TURNS,  # How the trial takes turns
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Run the verifier."""
    evidence = Path(params["evidence_dir"])
    ranges = [f"{one['first']}:{one['count']}" for one in params["inserted"] if one["count"]]
    absent = [
        f"{one['client']}:{one['clients']}:{one['restored']}:{one['deleted']}"
        for one in params["inserted"]
        if one.get("deleted")
    ]
    found = evidence / f"{params['name']}.json"
    properties = {
        **params["properties"],
        "verify.sample": params["sample"],
        "verify.documents": params["documents_after_load"],
        "verify.ranges": ",".join(ranges),
        "verify.absent": ",".join(absent),
        "verify.out": found,
    }
    if params["turns"] is not None:
        begin(params["turns"], params["name"])
    JavaRun(params["name"], "pressgauge.Verify", found, (), properties, params).run()
    return {"changed": True, "verification": json.loads(found.read_text("utf-8"))}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
