"""Templates filled in with plain data: ours here, the user's in a process of its own, with limits.

Jinja's sandbox keeps a template from what it is not given, but not from asking for a text of a terabyte, or for the
2 ** (10 ** 9)th character of one. `python -m reports.output.rendering` is that process: it reads one object from its
standard input, and writes the texts, or what is wrong with the template.
"""

from __future__ import annotations

import base64
import hashlib
import json
import resource
import secrets
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

from jinja2 import TemplateSyntaxError

from reports.errors import TemplateFaultError
from reports.output.environment import environment

_ROOT = Path(__file__).parents[2]
CPU_S = 60
_MEMORY_BYTES = 2**30
_TEXTS = {"index.html": "report.html", "report.md": "report.md"}
"""What is written, and the template it is made by."""


def render(data: dict[str, Any], template_dir: Path | None) -> dict[str, str]:
    """The page and its Markdown, by file name, from plain data.

    Raises:
        TemplateFaultError: a template of the user does not load or render, or takes more than the limits allow.
    """
    if template_dir is None:
        return _fill(data, None)
    folder = template_dir.absolute()
    if not any((folder / name).exists() for name in _TEXTS.values()):
        wanted = " nor ".join(_TEXTS.values())
        raise TemplateFaultError(f"{folder}: holds neither {wanted}, so nothing of the report would be yours")
    # One that is random, since data that is there already can't hold it; ours need none (`script_policy`).
    nonce = secrets.token_hex(16)
    given = data | {"nonce": nonce, "policy": f"{data['policy']} 'nonce-{nonce}'"}
    ended = subprocess.run(
        [sys.executable, "-m", "reports.output.rendering", str(folder), str(CPU_S)],
        input=json.dumps(given).encode(),
        cwd=_ROOT,
        check=False,
        capture_output=True,
    )
    if ended.returncode:
        raise TemplateFaultError(f"{folder}: takes more than {CPU_S} s or {_MEMORY_BYTES >> 20} MiB to be filled in")
    answer = json.loads(ended.stdout)
    if "fault" in answer:
        raise TemplateFaultError(answer["fault"])
    texts: dict[str, str] = answer["texts"]
    return texts


def script_policy(*scripts: str) -> str:
    """The page's policy: these scripts run, by their digests, and what slips through escaping stays dead text."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def _fill(data: dict[str, Any], template_dir: Path | None) -> dict[str, str]:
    made = environment(template_dir)
    return {name: made.get_template(template).render(data) for name, template in _TEXTS.items()}


def _place(error: Exception, template_dir: Path) -> str:
    """Where in the user's templates it went wrong: syntax errors say so, for others Jinja2 writes it into the trace."""
    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename or error.name}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if Path(frame.filename).is_relative_to(template_dir)]
    return f"{theirs[-1].filename}:{theirs[-1].lineno}" if theirs else str(template_dir)


def _answer(data: dict[str, Any], template_dir: Path) -> dict[str, Any]:
    try:
        return {"texts": _fill(data, template_dir)}
    except Exception as error:  # noqa: BLE001 whatever a template raises is its fault: it is given data and no more
        return {"fault": f"{_place(error, template_dir)}: {error or type(error).__name__}"}


def _main() -> None:
    folder, seconds = Path(sys.argv[1]), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    json.dump(_answer(json.load(sys.stdin.buffer), folder), sys.stdout)


if __name__ == "__main__":
    _main()
