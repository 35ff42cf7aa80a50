"""Hosts of one's own: network namespaces with an address and a real sshd each, behind a bridge. Needs root.

Files and processes are this machine's: only the network is apart, so each host keeps its things in a folder of its own.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tests.harness.commands import HOME

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINES = HOME / "engines"


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)


@dataclass
class Host:
    """One namespace."""

    name: str
    namespace: str
    link: str
    address: str
    place: Path
    platform: str = ""
    sshd: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def boot(self) -> None:
        """Start its sshd; returns once it listens."""
        folder = self.place / "ssh"
        self.sshd = subprocess.Popen(
            ["ip", "netns", "exec", self.namespace, "/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "sshd_config")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(folder / "sshd.log").open("ab"),
            start_new_session=True,
        )
        deadline = time.monotonic() + 20
        while True:
            try:
                with socket.create_connection((self.address, 22), timeout=1):
                    return
            except OSError:
                assert time.monotonic() < deadline, (folder / "sshd.log").read_text()
                time.sleep(0.05)

    def cut(self) -> None:
        """Cut its link: packets are lost both ways."""
        run("ip", "link", "set", self.link, "down")

    def mend(self) -> None:
        run("ip", "link", "set", self.link, "up")

    def limit(self, rate: str) -> None:
        """Let it send no faster than that, in the words of tc: `20mbit`."""
        shape = f"tc -n {self.namespace} qdisc replace dev eth0 root tbf rate {rate} burst 64kb latency 400ms"
        run(*shape.split())

    def die(self) -> None:
        """Lose the host at once, with all that runs on it."""
        self.cut()
        for pid in self.processes():
            subprocess.run(["kill", "-KILL", str(pid)], check=False, capture_output=True)
        if self.sshd:
            self.sshd.wait()
            self.sshd = None

    def processes(self) -> list[int]:
        """The processes in its namespace."""
        said = subprocess.run(["ip", "netns", "pids", self.namespace], capture_output=True, text=True, check=True)
        return [int(pid) for pid in said.stdout.split()]

    def left(self) -> dict[int, str]:
        """What runs there beside sshd: command lines by process number."""
        found = {}
        for pid in self.processes():
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if line and "sshd" not in line:
                found[pid] = line
        return found


@contextmanager
def remote_hosts(folder: Path, names: list[str]) -> Iterator[dict[str, Host]]:
    """Hosts of these names, up and reachable by the key in `folder`; gone afterwards, whatever runs on them."""
    number = os.getpid()
    bridge, subnet = f"pgb{number}", f"10.{200 + number % 50}.{number // 50 % 256}"
    run("ip", "link", "add", bridge, "type", "bridge")
    hosts: dict[str, Host] = {}
    try:
        run("ip", "address", "add", f"{subnet}.1/24", "dev", bridge)
        run("ip", "link", "set", bridge, "up")
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key"))
        for count, name in enumerate(names, start=2):
            host = Host(name, f"pg{number}-{name}", f"pg{number}.{count}", f"{subnet}.{count}", folder / name)
            hosts[name] = host
            _add(host, bridge, folder)
            host.boot()
        yield hosts
    finally:
        for host in hosts.values():
            for pid in host.processes():
                subprocess.run(["kill", "-KILL", str(pid)], check=False, capture_output=True)
            if host.sshd:
                host.sshd.wait()
            # A killed process's connections may keep the namespace, and so the link, for minutes.
            subprocess.run(["ip", "link", "delete", host.link], check=False, capture_output=True)
            subprocess.run(["ip", "netns", "delete", host.namespace], check=False, capture_output=True)
        run("ip", "link", "delete", bridge)


def _add(host: Host, bridge: str, folder: Path) -> None:
    run("ip", "netns", "add", host.namespace)
    run("ip", "link", "add", host.link, "type", "veth", "peer", "name", "eth0", "netns", host.namespace)
    run("ip", "link", "set", host.link, "master", bridge, "up")
    run("ip", "-n", host.namespace, "address", "add", f"{host.address}/24", "dev", "eth0")
    for device in ("lo", "eth0"):
        run("ip", "-n", host.namespace, "link", "set", device, "up")
    ssh = host.place / "ssh"
    ssh.mkdir(parents=True)
    Path("/run/sshd").mkdir(exist_ok=True)  # where sshd gives up its rights
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(ssh / "host_key"))
    public = (ssh / "host_key.pub").read_text().split()
    with (folder / "known_hosts").open("a") as known:
        known.write(f"{host.address} {public[0]} {public[1]}\n")
    settings = {
        "ListenAddress": host.address,
        "HostKey": str(ssh / "host_key"),
        "AuthorizedKeysFile": str(folder / "key.pub"),
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "UseDNS": "no",
        "SetEnv": f"HOME={host.place}",  # no start-up files of this machine's shell, and a place of its own for Ansible
        "Subsystem": "sftp internal-sftp",
    }
    (ssh / "sshd_config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))


def inventory(folder: Path, db: list[Host], clients: list[Host], **variables: Any) -> Path:
    """An inventory of these hosts, as a user would write it; engines that are here already are not fetched again."""
    for host in db:
        home = host.place / "home"
        home.mkdir(exist_ok=True)
        (home / "engines").symlink_to(ENGINES)

    def entry(host: Host) -> dict[str, Any]:
        home = str(host.place / "home")
        address = {
            "ansible_host": host.address,
            "pressgauge_home": home,
            "pressgauge_evidence_root": f"{home}/evidence",
        }
        platform = {"pressgauge_platform": host.platform} if host.platform else {}
        return address | platform | ({"pressgauge_address": host.address} if host in db else {})

    common = {
        "ansible_user": "root",
        "ansible_ssh_private_key_file": str(folder / "key"),
        "ansible_ssh_common_args": f"-o UserKnownHostsFile={folder / 'known_hosts'}",
        "ansible_python_interpreter": sys.executable,
    }
    path = folder / "hosts.yml"
    groups = {"db": db, "clients": clients}
    path.write_text(
        yaml.safe_dump(
            {"all": {"vars": common | variables}}
            | {name: {"hosts": {host.name: entry(host) for host in hosts}} for name, hosts in groups.items()}
        )
    )
    return path
