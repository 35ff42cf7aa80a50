#!/usr/bin/python
"""Run this host's clients of one YCSB phase, a load or a run, to their end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.clients.inserts import acknowledged_inserts, deletions
from ansible.module_utils.pressgauge.clients.java import CLIENT_ARGUMENTS, JavaRun, run_together
from ansible.module_utils.pressgauge.clients.network import network_change, network_counters
from ansible.module_utils.pressgauge.clients.turn_taking import TurnTaking
from ansible.module_utils.pressgauge.clients.turns import TURNS, Mongods, Turns
from ansible.module_utils.pressgauge.failures import run_module
from ansible.module_utils.pressgauge.files import write_json

DOCUMENTATION = r"""
module: ycsb_phase
short_description: One YCSB phase, with its evidence
description:
  - Runs the YCSB clients side by side. In its folder below evidence_dir each leaves <name>.properties,
    <name>.process.json, <name>.client.json, <name>.summary.json, <name>.status.log (line by line while it runs) and
    <name>.<OPERATION>.hdr, and network.<name>.json, what TCP on this host had to send again.
  - Fails when a client fails or exceeds its time. Whether its counts are right is judged later, from evidence.
options:
  name: {type: str, required: true, description: The phase's name.}
  mode: {type: str, required: true, choices: [load, run], description: Fill the collection, or work on it.}
  kind: {type: str, default: mix, choices: [mix, replay], description: "Operations of a mix, or recorded ones."}
  clients:
    type: list
    elements: dict
    required: true
    description: This host's client processes.
    suboptions:
      host: {type: str, required: true, description: This host's name in the inventory.}
      folder: {type: str, required: true, description: "Below evidence_dir; a dot for itself."}
      threads: {type: int, required: true, description: Client threads.}
      target: {type: float, description: Operations per second over its threads; unlimited without.}
      properties: {type: dict, default: {}, description: "Its own, beside those of all."}
      cpus: {type: str, description: "A CPU list such as 0,2-3 that it is confined to."}
      cpus_but_not: {type: str, description: "Without cpus, a CPU list that it is kept off."}
  start_at_ms: {type: int, description: "When all clients of the phase begin, in Unix time; at once without."}
  turns:
    type: dict
    description: Where the trial takes turns with others; the phase then leaves turns.<name>.json, too.
    suboptions:
      socket: {type: path, required: true, description: Where the harness gives the floor.}
      trial: {type: str, required: true, description: Whose turns they are.}
      instances: {type: list, elements: path, required: true, description: "Directories of the trial's mongods."}
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
  corpus: {type: path, required: true, description: "The corpus file; of a replay the prepared recording."}
  uri: {type: str, required: true, description: The connection string; passed on in a file of mode 0600.}
  authority: {type: str, description: "Certificate of the authority by which servers are known, for tls=true in uri."}
  properties: {type: dict, default: {}, description: YCSB's and the workload's properties.}
  timeout_s: {type: int, required: true, description: Seconds after which the client is killed.}
author: The Pressgauge authors
"""
EXAMPLES = r"""
- name: The documents are loaded
  ycsb_phase:
    name: load
    mode: load
    clients: [{host: loader, folder: ., threads: 4}]
    directory: /srv/pressgauge/clients/t001
    evidence_dir: /srv/pressgauge/evidence/t001
    jar: /srv/pressgauge/ycsb/pressgauge-ycsb.jar
    corpus: /srv/pressgauge/corpora/0123.txt
    uri: mongodb://pressgauge:{{ mongod_password }}@127.0.0.1:27017/?authSource=admin&w=1&journal=false
    properties: {recordcount: 1000, pressgauge.seed: 7}
    timeout_s: 600
"""
RETURN = r"""
processes: {type: list, returned: success, description: The content of each client's <name>.process.json.}
inserted:
  type: list
  returned: success
  description: "Records {first, count} that each client's run phases put on top of the load so far, and how many of the
    load's it, client of so many clients, has deleted and restored."
"""

ARGUMENTS: dict[str, Any] = {
    **CLIENT_ARGUMENTS,
    "name": {"type": "str", "required": True},
    "mode": {"type": "str", "required": True, "choices": ["load", "run"]},
    "kind": {"type": "str", "default": "mix", "choices": ["mix", "replay"]},
    "clients": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "host": {"type": "str", "required": True},
            "folder": {"type": "str", "required": True},
            "threads": {"type": "int", "required": True},
            "target": {"type": "float"},
            "properties": {"type": "dict", "default": {}},
            "cpus": {"type": "str"},
            "cpus_but_not": {"type": "str"},
        },
    },
    "start_at_ms": {"type": "int"},
    "turns": TURNS,
    "earlier_phases": {"type": "list", "elements": "str", "default": []},
}

_CLASSES = {
    "mix": {"workload": "pressgauge.TextWorkload", "db": "pressgauge.MongoBinding"},
    "replay": {"workload": "pressgauge.Replay", "db": "pressgauge.ReplayBinding"},
}
# What reading the results relies on; the plan may refine it.
MEASUREMENT = {
    "measurementtype": "hdrhistogram",
    "hdrhistogram.fileoutput": True,
    "exporter": "site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter",
    "status.interval": 1,
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Run this host's part of the phase."""
    clients = [_Client(params, one) for one in params["clients"]]
    before = network_counters()
    try:
        processes = _run(params, clients)
    finally:
        moved = network_change(before, network_counters())
        for client in clients:
            client.evidence.mkdir(parents=True, exist_ok=True)
            write_json(client.evidence / f"network.{params['name']}.json", moved)
    done = params["earlier_phases"] + ([params["name"]] if params["mode"] == "run" else [])
    return {"changed": True, "processes": processes, "inserted": [client.changed(done) for client in clients]}


def _run(params: dict[str, Any], clients: list[_Client]) -> list[dict[str, Any]]:
    turns = params["turns"]
    if turns is None:
        return run_together([client.run() for client in clients])
    taking = TurnTaking(
        params["name"],
        Turns.of(turns),
        Mongods.of(turns["instances"]),
        Path(params["evidence_dir"], f"turns.{params['name']}.json"),
    )
    return taking.run(lambda pace_per_s: [client.run(pace_per_s) for client in clients])


class _Client:
    """One of this host's client processes."""

    def __init__(self, params: dict[str, Any], client: dict[str, Any]) -> None:
        self.params, self.client, self.name = params, client, params["name"]
        self.evidence = Path(params["evidence_dir"], client["folder"])
        self.properties = {**params["properties"], **client["properties"]}

    def run(self, pace_per_s: float | None = None) -> JavaRun:
        """The client, ready to be started; `pace_per_s` is the phase's, where only its first turn tells."""
        classes = _CLASSES[self.params["kind"]]
        arguments = ["-load" if self.params["mode"] == "load" else "-t", "-db", classes["db"], "-s"]
        arguments += ["-threads", str(self.client["threads"])]
        summary = self.evidence / f"{self.name}.summary.json"
        properties = {
            **MEASUREMENT,
            **self.properties,
            "workload": classes["workload"],
            "hdrhistogram.output.path": self.evidence / f"{self.name}.",
            "exportfile": summary,
            "pressgauge.clientfile": self.evidence / f"{self.name}.client.json",
        }
        if pace := self._pace(pace_per_s):
            properties["pressgauge.pace"] = pace
        if self.params["mode"] == "run":
            before = self.changed(self.params["earlier_phases"])
            properties["pressgauge.insertstart"] = before["first"] + before["count"]
            properties |= {f"pressgauge.{key}": before[key] for key in ("deleted", "restored") if before[key]}
        if self.params["start_at_ms"]:
            properties["pressgauge.startat"] = self.params["start_at_ms"]
        place = f"{self.params['directory']}{self.client['folder'].replace('/', '-').strip('.')}"
        cores = {name: self.client.get(name) for name in ("cpus", "cpus_but_not")}
        own = {**self.params, **cores, "evidence_dir": str(self.evidence), "directory": place}
        return JavaRun(self.name, "site.ycsb.Client", summary, tuple(arguments), properties, own)

    def _pace(self, of_phase: float | None) -> float | None:
        """Operations a second: of a phase whose pace was not known before, this client's share by its threads."""
        if not of_phase:
            target: float | None = self.client["target"]
            return target
        share: float = self.client["threads"] / sum(one["threads"] for one in self.params["clients"])
        return of_phase * share

    def changed(self, phases: list[str]) -> dict[str, int]:
        """The records that these phases inserted, behind the load's, from where this client's part begins; and how many
        of the load's they deleted and restored, of this client's part."""
        first = self.properties.get("pressgauge.insertstart", self.properties["recordcount"])
        deleted, restored = deletions(self.evidence, phases)
        return {
            "first": int(first),
            "count": acknowledged_inserts(self.evidence, phases),
            "client": int(self.properties.get("pressgauge.clientindex", 0)),
            "clients": int(self.properties.get("pressgauge.clientcount", 1)),
            "deleted": deleted,
            "restored": restored,
        }


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
