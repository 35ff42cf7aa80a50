"""Single packages through apt, with sources, lists and cache of their own: nothing is installed into the system."""

from __future__ import annotations

import getpass
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ansible.module_utils.pressgauge.failures import Failure

_DEBIAN_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_TIMEOUT_S = 600


@dataclass(frozen=True)
class PrivateApt:
    """apt in a directory of its own; with `sources` None it knows the machine's own sources."""

    directory: Path
    sources: str | None

    def download(self, package: str, version: str) -> Path:
        """Fetch one version of a package; raises Failure (host) when the sources do not have it."""
        self.update()
        self._run("apt-get", "download", f"{package}={version}")
        (found,) = self.directory.glob(f"{package}_*.deb")
        return found

    def update(self) -> None:
        """Read the package lists."""
        for part in ("lists/partial", "archives/partial"):
            (self.directory / part).mkdir(parents=True, exist_ok=True)
        self._run("apt-get", "--quiet", "update")

    def index_targets(self) -> list[list[str]]:
        """[address, release, component, origin] of every package list that has been read here."""
        line_format = "$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)"
        said = self._run("apt-get", "indextargets", "--format", line_format, "Created-By: Packages")
        return [line.split() for line in said.splitlines() if len(line.split()) == 4]

    def _run(self, program: str, *arguments: str) -> str:
        options = {
            "Dir::State::lists": self.directory / "lists",
            "Dir::Cache": self.directory,
            "Dir::Cache::archives": self.directory / "archives",
            "APT::Sandbox::User": getpass.getuser(),
            "Acquire::Languages": "none",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
            "Acquire::Check-Valid-Until": "false",  # an old release is no longer signed afresh
        }
        if self.sources is not None:
            (self.directory / "sources.list").write_text(self.sources, encoding="utf-8")
            options["Dir::Etc::sourcelist"] = self.directory / "sources.list"
            options["Dir::Etc::sourceparts"] = "/dev/null"
        settings = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        try:
            done = subprocess.run(
                [program, *settings, *arguments],
                cwd=self.directory,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise Failure(
                "host", f"this engine needs apt, and this host has no {program}; use the source tarball or binary"
            ) from error
        if done.returncode != 0:
            said = "\n".join(f"  {line}" for line in done.stderr.strip().splitlines()[-6:])
            raise Failure("host", f"`{program} {' '.join(arguments)}` failed:\n{said}")
        return done.stdout


def older_debian_sources(directory: Path, suite: str) -> str:
    """Sources of an older Debian `suite` and its security updates, on the mirror that this machine already uses.

    Raises Failure (host) when the machine is no Debian, or has no Debian mirror among its sources.
    """
    release = os_release()
    if release.get("ID") != "debian":
        raise Failure(
            "host",
            f"this mongod needs OpenSSL 1.1, which is taken from Debian {suite}; this host is "
            f"{release.get('PRETTY_NAME', 'no Debian')}: use the source tarball or binary for this engine",
        )
    machine = PrivateApt(directory, None)
    machine.update()
    keyring = f"[signed-by={_DEBIAN_KEYRING}] " if _DEBIAN_KEYRING.exists() else ""
    codename = release.get("VERSION_CODENAME", "")
    older = {codename: suite, f"{codename}-security": f"{suite}-security"}
    lines = {
        f"deb {keyring}{address} {older[name]} {component}\n"
        for address, name, component, origin in machine.index_targets()
        if name in older and component == "main" and origin == "Debian"
    }
    if not lines:
        raise Failure("host", "apt's sources on this host name no Debian mirror; use the source tarball or binary")
    return "".join(sorted(lines))


def unpack(package: Path, target: Path) -> None:
    """Unpack a .deb's files below `target`, without installing it."""
    subprocess.run(["dpkg-deb", "--extract", str(package), str(target)], check=True, capture_output=True)


def os_release() -> dict[str, str]:
    """/etc/os-release as a dictionary; empty where there is none."""
    try:
        lines = Path("/etc/os-release").read_text("utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {name: value.strip('"') for name, value in pairs}
