"""What reaches the terminal: text, whatever the names of runs, files and hosts hold."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import pytest
import typer
from rich.console import Console

from harness.cli.terminal import run_app, say
from harness.errors import InputError
from harness.run.progress import JsonView, PlainView, Progress, QuietView, TerminalView

if TYPE_CHECKING:
    from harness.run.progress import View

HOSTILE = "a\x1b]0;title\x07\x1b[2J\x9b31m\x7f\u202eb\udcffc\rd\b"
COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_what_is_said_holds_no_command_and_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    say([HOSTILE, f"two\n\tlines {HOSTILE}"])
    said = capsys.readouterr().out
    assert not COMMANDS.search(said)
    assert said.count("\n") == 3
    assert "\n\tlines a" in said


def failing(error: Exception) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    def fail() -> None:
        error.add_note(HOSTILE)
        raise error

    return app


@pytest.mark.parametrize(
    "error",
    [InputError(f"{HOSTILE}: wrong\nin two lines", do=HOSTILE), OSError(28, HOSTILE, HOSTILE), RuntimeError(HOSTILE)],
    ids=lambda error: type(error).__name__,
)
def test_an_error_holds_no_command(
    error: Exception, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRESSGAUGE_DEBUG", "1")
    monkeypatch.setattr("sys.argv", ["pressgauge"])
    with pytest.raises(SystemExit):
        run_app(failing(error))
    said = capsys.readouterr().err
    assert "pressgauge: " in said
    assert not COMMANDS.search(said)


def test_a_wrong_argument_is_told_without_its_commands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["pressgauge", f"--{HOSTILE}"])
    with pytest.raises(SystemExit):
        run_app(failing(RuntimeError()))
    assert not COMMANDS.search(capsys.readouterr().err)


@pytest.mark.parametrize("view", [PlainView, QuietView, JsonView])
def test_progress_in_lines_holds_no_command(view: type[View], capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(view())
    progress.note(HOSTILE)
    progress.step(HOSTILE, HOSTILE)
    said = capsys.readouterr().out
    assert not COMMANDS.search(said)
    if view is JsonView:
        assert json.loads(said.splitlines()[0])["text"] == HOSTILE.strip()
    else:
        assert said.startswith("a�")


def test_the_live_picture_holds_no_command() -> None:
    screen = io.StringIO()
    progress = Progress(TerminalView(Console(file=screen, width=100)))
    progress.note(HOSTILE)
    progress.step(HOSTILE, HOSTILE)
    progress.close()
    assert "a�" in screen.getvalue()
    assert not COMMANDS.search(screen.getvalue())


def test_the_live_picture_has_a_bar_and_a_percentage_for_each_share() -> None:
    screen = io.StringIO()
    progress = Progress(TerminalView(Console(file=screen, width=100, force_terminal=True, color_system="standard")))
    progress.campaign("quick", trials=12, blocks=3, seconds_each=60.0, done=6)
    progress.close()
    row = next(line for line in screen.getvalue().splitlines() if "campaign 6/12" in line)
    green, dim = "\x1b[32m" + "━" * 12, "\x1b[2m" + "━" * 11
    assert green in row
    assert dim in row
    assert " 50% about 6 min 00 s left" in row
