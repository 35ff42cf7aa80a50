#!/usr/bin/python
"""Start a mongod in a fresh instance directory, have it go on with other files or engine, or stop it for its evidence.

- An instance is a directory with a marker, a configuration file, a log, a pid file and a data directory.
- `started` replaces an instance directory of the same name, starts mongod in a session of its own and waits until it
  answers and lets in the one user that it is to have. Something that is not ours is never replaced or deleted.
- `upgraded` stops mongod, starts `engine` on the same files, raises the feature compatibility version to that
  engine's, as MongoDB prescribes, and leaves upgraded-<version>.json.
- `resynced` stops the mongod of a replica set's secondary, deletes its data files, starts it again, waits until it has
  copied everything from the set, and leaves maintenance.<workload>.json.
- `stopped` stops the process that the pid file names, if it is still the same one, moves log, configuration, what is
  known of the engine, and diagnostic data into the evidence directory, writes down in stop.json how it ended, and
  deletes the instance directory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ansible.module_utils.pressgauge.failures import Failure, run_module
from ansible.module_utils.pressgauge.files import create_owned, owner_facts, remove_owned, write_json, write_text
from ansible.module_utils.pressgauge.host import control_groups, limits
from ansible.module_utils.pressgauge.host.disks import disk_limit
from ansible.module_utils.pressgauge.host.processes import (
    POLL_S,
    Process,
    listens,
    mongod_environment,
    on_cpus,
    port_holder,
    record_started,
)
from ansible.module_utils.pressgauge.mongods import replica_sets
from ansible.module_utils.pressgauge.mongods.mongod_log import last_words, living_mongod
from ansible.module_utils.pressgauge.mongods.servers import Credentials, Server
from ansible.module_utils.pressgauge.mongods.upgrades import raise_compatibility

RETURN = r"""
pid: {type: int, returned: when started}
seconds: {type: float, returned: always, description: Until ready, or until ended.}
was_running: {type: bool, returned: when stopped, description: False when mongod had ended by itself.}
killed: {type: bool, returned: when stopped, description: True when it did not end in time.}
last_words: {type: str, returned: when it had ended by itself, description: The end of its log.}
"""

AUTHORITY = "authority.pem"
ENGINE = "engine.json"
DIAGNOSTIC = "diagnostic.data"
ARGUMENTS: dict[str, Any] = {
    "state": {"type": "str", "required": True, "choices": ["started", "upgraded", "resynced", "stopped"]},
    "directory": {"type": "path", "required": True},  # The instance directory
    "engine": {"type": "path"},  # The engine's directory with bin/mongod and lib/
    "version": {"type": "str"},  # The engine's: an upgraded instance must report it, and its environment follows it
    "config": {"type": "str"},  # The text of mongod.conf
    "port": {"type": "int"},  # The port that mongod.conf names
    # Of the user that mongod is to let in; a replica set's members get theirs later.
    "password": {"type": "str", "no_log": True},
    # By which the members of a replica set know each other; goes into the file key.
    "key": {"type": "str", "no_log": True},
    # The host's certificate with its key, for mongod to show; goes into the file certificate.pem.
    "certificate": {"type": "str", "no_log": True},
    "authority": {"type": "str"},  # Certificate of the authority that has signed it; goes into the file authority.pem
    "cpus": {"type": "str"},  # A CPU list such as 0,2-3 that mongod is confined to
    # What mongod may use, file cache included; in a control group named pressgauge-<instance>.
    "memory_limit_bytes": {"type": "int"},
    "cpu_limit": {"type": "float"},  # CPUs' worth of time that mongod may use; in a control group of that name
    # What mongod may ask of its data's disk in a second, by read_bytes_per_s, write_ops_per_s, …; likewise.
    "disk_limit": {"type": "dict"},
    "timeout_s": {"type": "int", "required": True},  # Seconds until ready, or until ended
    # Where a stopped instance's files go. An instance started for another place is left alone.
    "evidence_dir": {"type": "path", "required": True},
    "workload": {"type": "str"},  # The workload that a secondary is resynced for; names its evidence
    "sync_timeout_s": {"type": "int"},  # Seconds until a resynced one has everything
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Start, upgrade, resync or stop, as `state` says."""
    act_of = {"started": start, "upgraded": upgrade, "resynced": resync, "stopped": stop}
    return act_of[params["state"]](params)


def start(params: dict[str, Any]) -> dict[str, Any]:
    """Start mongod on a fresh data directory, wait until it answers, and make its user."""
    directory = Path(params["directory"])
    mongod = _binary(params)
    running = Process.recorded(directory / "mongod.pid")
    if running:
        raise Failure(
            "host",
            f"instance {directory.name} still runs (pid {running.pid}); `make tear-down` ends it",
        )
    holder = port_holder(params["port"])
    if holder:
        raise Failure(
            "host", f"port {params['port']} is in use by {holder}; stop that, or give the campaign another port"
        )
    groups = sorted({str(group) for _, _, group in _limits(directory, params)})
    facts = {"port": params["port"], "evidence_dir": params["evidence_dir"], "control_groups": groups}
    create_owned(directory, facts)
    (directory / "data").mkdir()
    if Path(params["engine"], ENGINE).exists():
        shutil.copyfile(Path(params["engine"], ENGINE), directory / ENGINE)
    if params["key"]:
        write_text(directory / "key", params["key"], mode=0o400)
    if params["certificate"]:
        write_text(directory / "certificate.pem", params["certificate"], mode=0o400)
        write_text(directory / AUTHORITY, params["authority"])
    began = time.monotonic()
    process = _serve(mongod, directory, params)
    if params["password"]:
        with Server(params["port"], authority=_authority(directory)) as server:
            server.admit(Credentials(params["password"]))
    return {"changed": True, "pid": process.pid, "seconds": time.monotonic() - began}


def upgrade(params: dict[str, Any]) -> dict[str, Any]:
    """Stop mongod cleanly, start another engine on the same files, and raise the feature compatibility version.

    Raises Failure (engine) where the old one does not end when asked to, or the new one does not take the files.
    """
    directory, mongod = Path(params["directory"]), _binary(params)
    began = time.monotonic()
    _end(directory, params["timeout_s"])
    stopped = time.monotonic()
    started = _serve(mongod, directory, params)
    answered = time.monotonic()
    with Server(params["port"], Credentials(params["password"]), authority=_authority(directory)) as server:
        versions = raise_compatibility(server, params["version"])
    step = {"format_version": 1, **versions, "stop_s": stopped - began, "start_s": answered - stopped}
    write_json(Path(params["evidence_dir"], f"upgraded-{params['version']}.json"), step)
    return {"changed": True, "pid": started.pid, "seconds": time.monotonic() - began}


def resync(params: dict[str, Any]) -> dict[str, Any]:
    """Stop a secondary, delete its data files, start it again, and wait until it has copied everything.

    Raises Failure (engine) where it does not end when asked to, or is no secondary again in time.
    """
    directory, mongod = Path(params["directory"]), _binary(params)
    _end(directory, params["timeout_s"])
    _empty(directory / "data")
    began = time.monotonic()
    started = _serve(mongod, directory, params)
    with Server(params["port"], authority=_authority(directory)) as server:
        replica_sets.await_data(server, params["sync_timeout_s"])
    seconds = time.monotonic() - began
    told = {"format_version": 1, "kind": "initial-sync", "seconds": seconds}
    write_json(Path(params["evidence_dir"], f"maintenance.{params['workload']}.json"), told)
    return {"changed": True, "pid": started.pid, "seconds": seconds}


def _end(directory: Path, timeout_s: int) -> None:
    """Stop the instance's mongod; raise Failure (engine) where it has to be killed."""
    if living_mongod(directory).stop(timeout_s):
        raise Failure("engine", f"mongod of instance {directory.name} did not end within {timeout_s} s and was killed")


def _empty(data: Path) -> None:
    """Delete all that mongod stores below its dbPath; its diagnostic data are evidence, and stay."""
    for path in data.iterdir():
        if path.name == DIAGNOSTIC:
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _authority(directory: Path) -> Path | None:
    """The certificate by which the instance is known, where it has one of its own."""
    return directory / AUTHORITY if (directory / AUTHORITY).exists() else None


def _binary(params: dict[str, Any]) -> Path:
    mongod = Path(params["engine"], "bin", "mongod")
    if not mongod.exists():
        raise Failure("engine", f"no engine at {mongod}; run ansible/provision.yml for it first")
    return mongod


def _serve(mongod: Path, directory: Path, params: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start mongod on the instance's files, within its limits, and wait until it listens."""
    write_text(directory / "mongod.conf", params["config"])
    with ExitStack() as confined:
        confined.enter_context(on_cpus(params["cpus"]))
        for kind, amount, group in _limits(directory, params):
            confined.enter_context(kind.confined(group, amount))
        process = _launch(mongod, directory, params["version"])
    _await_ready(process, directory, params)
    return process


def _limits(directory: Path, params: dict[str, Any]) -> list[tuple[limits.Limit[Any], Any, Path]]:
    """The limits that are asked for: the kind, how much, and the instance's group for it, maybe the same for several.

    Raises Failure (host) where it allows no group with such a limit.
    """
    disk = {name: amount for name, amount in (params["disk_limit"] or {}).items() if amount is not None}
    kinds = ((limits.MEMORY, params["memory_limit_bytes"]), (limits.CPU, params["cpu_limit"]))
    asked: list[tuple[limits.Limit[Any] | None, Any]] = [(kind, amount) for kind, amount in kinds if amount]
    asked += [(disk_limit(directory.parent), disk)] if disk else []
    there = [kind for kind, _ in asked if kind]
    found = []
    for kind, amount in asked:
        parent = kind.parent_group(*there) if kind else None
        if kind is None or parent is None:
            name = kind.name if kind else "disk"
            raise Failure(
                "host", f"this host allows no control group with a {name} limit; use another one, or leave it out"
            )
        found.append((kind, amount, parent / f"pressgauge-{directory.name}"))
    return found


def _launch(mongod: Path, directory: Path, version: str) -> subprocess.Popen[bytes]:
    """Start mongod in a session of its own, so that it outlives this module; record who it is."""
    environment = mongod_environment(version)
    libraries = mongod.parent.parent / "lib"
    if libraries.is_dir():
        environment["LD_LIBRARY_PATH"] = str(libraries)
    with (directory / "console.log").open("wb") as console:
        process = subprocess.Popen(
            [str(mongod), "--config", str(directory / "mongod.conf")],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=directory,
            env=environment,
        )
    record_started(process.pid, directory / "mongod.pid")
    return process


def _await_ready(process: subprocess.Popen[bytes], directory: Path, params: dict[str, Any]) -> None:
    """Return when mongod listens; raise Failure, with nothing left running, when it ends or takes too long."""
    deadline = time.monotonic() + params["timeout_s"]
    while not listens(process.pid, params["port"]):
        exit_code = process.poll()
        if exit_code is None and time.monotonic() < deadline:
            time.sleep(POLL_S)
            continue
        if exit_code is None:
            process.kill()
            process.wait()
            how = f"did not listen on port {params['port']} within {params['timeout_s']} s and was killed"
        else:
            how = f"ended at once with exit code {exit_code}"
        said = last_words(directory / "mongod.log", directory / "console.log")
        raise Failure("engine", f"mongod of instance {directory.name} {how}. Its last output:\n{said}")


def stop(params: dict[str, Any]) -> dict[str, Any]:
    """Stop the instance if it runs, keep its evidence, delete its directory."""
    directory = Path(params["directory"])
    evidence = params["evidence_dir"]
    facts = owner_facts(directory) if os.path.lexists(directory) else {}
    if facts.get("evidence_dir") != evidence:
        return {"changed": False, "was_running": False, "killed": False, "seconds": 0.0}
    began = time.monotonic()
    process = Process.recorded(directory / "mongod.pid")
    killed = process.stop(params["timeout_s"]) if process else False
    how: dict[str, Any] = {"was_running": process is not None, "killed": killed, "seconds": time.monotonic() - began}
    if process is None:
        how["last_words"] = last_words(directory / "mongod.log", directory / "console.log")
    for group in facts.get("control_groups", []):
        control_groups.remove(Path(group))
    _keep_evidence(directory, Path(evidence))
    write_json(Path(evidence, "stop.json"), {"format_version": 1, **how})
    remove_owned(directory)
    return {"changed": True, **how}


def _keep_evidence(directory: Path, evidence: Path) -> None:
    evidence.mkdir(parents=True, exist_ok=True)
    for name in ("mongod.conf", ENGINE, "mongod.log", f"data/{DIAGNOSTIC}"):
        source = directory / name
        target = evidence / source.name
        if source.exists():
            if target.is_dir():
                shutil.rmtree(target)
            shutil.move(source, target)


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
