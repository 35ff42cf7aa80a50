"""How a module fails: one sentence for a person, and a kind that says who has to act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping


class Failure(Exception):
    """The work could not be done.

    `kind` says who has to act: the spec's author, whoever runs the host, the engine, the load client, or us.
    `facts` are further values for the task's result (such as the names of missing libraries).
    """

    def __init__(self, kind: str, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.facts = facts


def words_of(done: subprocess.CompletedProcess[str]) -> str:
    """The last that a program said, or else how it ended."""
    return (done.stderr or done.stdout).strip()[-400:] or f"exit code {done.returncode}"


def run_module(argument_spec: Mapping[str, Any], act: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Run `act` on the module's parameters and hand its result to Ansible, or its failure as msg and kind."""
    module = AnsibleModule(argument_spec=argument_spec)
    try:
        result = act(module.params)
    except Failure as failure:
        module.fail_json(msg=str(failure), kind=failure.kind, **failure.facts)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        module.fail_json(msg=f"the host refused: {error.strerror or error}{where}", kind="host")
    else:
        module.exit_json(**result)
