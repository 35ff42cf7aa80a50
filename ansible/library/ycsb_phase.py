#!/usr/bin/python
"""Run one YCSB phase, a load or a run, to its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.failures import run_module
from ansible.module_utils.pressgauge.inserts import acknowledged_inserts
from ansible.module_utils.pressgauge.java import CLIENT_ARGUMENTS, JavaRun

DOCUMENTATION = r"""
module: ycsb_phase
short_description: One YCSB phase, with its evidence
description:
  - Writes <name>.properties, runs the YCSB client and leaves <name>.process.json, <name>.client.json,
    <name>.summary.json,
    <name>.status.log (line by line while it runs) and <name>.<OPERATION>.hdr.
  - Fails when the client fails or exceeds its time. Whether its counts are right is judged later, from evidence.
options:
  name: {type: str, required: true, description: The phase's name.}
  mode: {type: str, required: true, choices: [load, run], description: Fill the collection, or work on it.}
  threads: {type: int, required: true, description: Client threads.}
  target: {type: float, description: Operations per second over all threads; unlimited without.}
  earlier_phases:
    type: list
    elements: str
    default: []
    description: Run phases before this one. Their inserts come first, and this phase's after them.
  directory: {type: path, required: true, description: A private directory for the time of the run.}
  evidence_dir: {type: path, required: true, description: Where the files go.}
  java: {type: str, default: java, description: The Java launcher.}
  jar: {type: path, required: true, description: The client jar.}
  jvm_options: {type: list, elements: str, default: [], description: Options of the Java machine.}
  corpus: {type: path, required: true, description: The corpus file.}
  uri: {type: str, required: true, description: The connection string; passed on in a file of mode 0600.}
  properties: {type: dict, default: {}, description: YCSB's and the workload's properties.}
  timeout_s: {type: int, required: true, description: Seconds after which the client is killed.}
author: The Pressgauge authors
"""
EXAMPLES = r"""
- name: The documents are loaded
  ycsb_phase:
    name: load
    mode: load
    threads: 4
    directory: /srv/pressgauge/clients/t001
    evidence_dir: /srv/pressgauge/evidence/t001
    jar: /srv/pressgauge/ycsb/pressgauge-ycsb.jar
    corpus: /srv/pressgauge/corpora/0123.txt
    uri: mongodb://pressgauge:{{ mongod_password }}@127.0.0.1:27017/?authSource=admin&w=1&journal=false
    properties: {recordcount: 1000, pressgauge.seed: 7}
    timeout_s: 600
"""
RETURN = r"""
process: {type: dict, returned: success, description: The content of <name>.process.json.}
"""

ARGUMENTS: dict[str, Any] = {
    **CLIENT_ARGUMENTS,
    "name": {"type": "str", "required": True},
    "mode": {"type": "str", "required": True, "choices": ["load", "run"]},
    "threads": {"type": "int", "required": True},
    "target": {"type": "float"},
    "earlier_phases": {"type": "list", "elements": "str", "default": []},
}

# What reading the results relies on; the plan may refine it.
MEASUREMENT = {
    "measurementtype": "hdrhistogram",
    "hdrhistogram.fileoutput": True,
    "exporter": "site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter",
    "status.interval": 1,
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Run the phase."""
    evidence, name = Path(params["evidence_dir"]), params["name"]
    arguments = ["-load" if params["mode"] == "load" else "-t", "-db", "pressgauge.MongoBinding", "-s"]
    arguments += ["-threads", str(params["threads"])]
    if params["target"]:
        arguments += ["-target", f"{params['target']:.0f}"]  # YCSB takes whole numbers only
    summary = evidence / f"{name}.summary.json"
    properties = {
        **MEASUREMENT,
        **params["properties"],
        **_first_insert(params, evidence),
        "hdrhistogram.output.path": evidence / f"{name}.",
        "exportfile": summary,
        "pressgauge.clientfile": evidence / f"{name}.client.json",
    }
    run = JavaRun(name, "site.ycsb.Client", summary, tuple(arguments), properties, params)
    return {"changed": True, "process": run.run()}


def _first_insert(params: dict[str, Any], evidence: Path) -> dict[str, Any]:
    """The record number from which a run phase inserts: behind the load's and the earlier phases'."""
    earlier = acknowledged_inserts(evidence, params["earlier_phases"])
    return {"pressgauge.insertstart": int(params["properties"]["recordcount"]) + earlier} if earlier else {}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
