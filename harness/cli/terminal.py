"""The terminal. Only here is anything printed and the process ended; the one handler of errors is here too."""

from __future__ import annotations

import os
import sys
import traceback

import typer
from rich.console import Console
from typer.exceptions import TyperException

from core.text import shown
from harness.cli.installed import as_typed
from harness.errors import Exit, PressgaugeError
from harness.hosts.interrupts import be_deaf, listen


def say(lines: object) -> None:
    """Print a line, or each of several."""
    for line in lines if not isinstance(lines, str) else [lines]:  # type: ignore[attr-defined]
        print(as_typed(shown(str(line))), flush=True)  # noqa: T201


def run_app(app: typer.Typer) -> None:
    """Run the command line; every error ends here, with its exit code."""
    listen()
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        sys.exit(app(standalone_mode=False) or Exit.FINE)  # not standalone, it returns what a command exits with
    except PressgaugeError as error:
        _tell(console, error.what, error)
        if error.do:
            console.print(f"            → {as_typed(shown(error.do))}", markup=False)
        sys.exit(error.exit_code)
    except TyperException as error:
        if error.format_message():  # none where the help was shown
            _tell(console, error.format_message(), error)
            console.print("            → `python -m harness --help` lists the commands and options", markup=False)
        sys.exit(Exit.BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        console.print("pressgauge: stopped")
        console.print("            → the same command resumes the run")
        sys.exit(Exit.INTERRUPTED)
    except OSError as error:
        _tell(console, _of_system(error), error)
        console.print("            → repair that file or device; the same command resumes the run", markup=False)
        sys.exit(Exit.DEPENDENCY_FAILED)
    except Exception as error:  # noqa: BLE001 - the last resort: a defect of ours, told as such
        if os.environ.get("PRESSGAUGE_DEBUG"):
            console.print(shown(traceback.format_exc()), markup=False)
        _tell(console, f"a defect in Pressgauge: {type(error).__name__}: {error}", error)
        console.print("            → set PRESSGAUGE_DEBUG=1, run it again, and report what it prints", markup=False)
        sys.exit(Exit.DEFECT)
    finally:
        be_deaf()


def _tell(console: Console, what: str, error: Exception) -> None:
    """What went wrong, and what else did because of it."""
    for line in (f"pressgauge: {what}", *(f"            {note}" for note in getattr(error, "__notes__", ()))):
        console.print(as_typed(shown(line)), markup=False)


def _of_system(error: OSError) -> str:
    """Where and why, as far as the operating system told."""
    return ": ".join(str(part) for part in (error.filename, error.strerror or error) if part)
