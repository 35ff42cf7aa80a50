"""A process that has loaded the command line, and forks a child for each command that it is told on its input.

Loading takes two seconds of CPU, and most commands of the tests much less. A child is alone with its environment, its
working directory and its output, and ends with the command's exit code, as `python -m harness` does.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

from harness import __main__ as program
from harness.cli import checking, commands, estimating, importing, mirroring, profiling, remote

LOADED = (checking, commands, estimating, importing, mirroring, profiling, remote)
_FAILED = 70


def _serve() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            _become(asked)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201 - the answer


def _become(asked: dict[str, Any]) -> None:
    """Be the command, to its end."""
    code = _FAILED
    try:
        os.environ.clear()
        os.environ.update(asked["environment"])
        for number, path in ((0, os.devnull), (1, asked["out"]), (2, asked["err"])):
            opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(opened, number)
            os.close(opened)
        sys.argv = [program.__file__, *asked["arguments"]]
        program.main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter's own last resort
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
