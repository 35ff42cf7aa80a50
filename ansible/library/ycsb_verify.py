#!/usr/bin/python
"""Recompute the stored documents and compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.failures import run_module
from ansible.module_utils.pressgauge.java import CLIENT_ARGUMENTS, JavaRun

DOCUMENTATION = r"""
module: ycsb_verify
short_description: Compare the stored documents with what the workload must have written
description:
  - Runs the verifier over all documents, or a sample, and leaves <name>.json. Documents that differ are no failure
    of this module - they are a finding, judged from the evidence.
options:
  name: {type: str, default: verify, description: Names the files that it leaves.}
  documents_after_load: {type: int, required: true, description: Documents the load had to store.}
  inserted:
    type: list
    elements: dict
    default: []
    description: "Records {first, count} that run phases put on top of the load."
  sample: {type: int, default: 0, description: Documents to check, evenly spread; 0 checks all.}
  directory: {type: path, required: true, description: A private directory for the time of the run.}
  evidence_dir: {type: path, required: true, description: Where the files go.}
  java: {type: str, default: java, description: The Java launcher.}
  jar: {type: path, required: true, description: The client jar.}
  jvm_options: {type: list, elements: str, default: [], description: Options of the Java machine.}
  corpus: {type: path, required: true, description: The corpus file.}
  uri: {type: str, required: true, description: The connection string; passed on in a file of mode 0600.}
  authority: {type: str, description: "Certificate of the authority by which servers are known, for tls=true in uri."}
  properties: {type: dict, default: {}, description: The load's properties.}
  timeout_s: {type: int, required: true, description: Seconds after which the verifier is killed.}
author: The Pressgauge authors
"""
EXAMPLES = r"""
- name: The documents are what was written
  ycsb_verify:
    documents_after_load: 1000
    directory: /srv/pressgauge/clients/t001
    evidence_dir: /srv/pressgauge/evidence/t001
    jar: /srv/pressgauge/ycsb/pressgauge-ycsb.jar
    corpus: /srv/pressgauge/corpora/0123.txt
    uri: mongodb://pressgauge:{{ mongod_password }}@127.0.0.1:27017/?authSource=admin
    properties: {recordcount: 1000, pressgauge.seed: 7}
    timeout_s: 600
"""
RETURN = r"""
verification: {type: dict, returned: success, description: The content of <name>.json.}
"""

ARGUMENTS: dict[str, Any] = {
    **CLIENT_ARGUMENTS,
    "name": {"type": "str", "default": "verify"},
    "documents_after_load": {"type": "int", "required": True},
    "inserted": {"type": "list", "elements": "dict", "default": []},
    "sample": {"type": "int", "default": 0},
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Run the verifier."""
    evidence = Path(params["evidence_dir"])
    ranges = [f"{one['first']}:{one['count']}" for one in params["inserted"] if one["count"]]
    found = evidence / f"{params['name']}.json"
    properties = {
        **params["properties"],
        "verify.sample": params["sample"],
        "verify.documents": params["documents_after_load"],
        "verify.ranges": ",".join(ranges),
        "verify.out": found,
    }
    JavaRun(params["name"], "pressgauge.Verify", found, (), properties, params).run()
    return {"changed": True, "verification": json.loads(found.read_text("utf-8"))}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
