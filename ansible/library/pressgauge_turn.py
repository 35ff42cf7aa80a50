#!/usr/bin/python
"""Begin or end a step for which a trial needs the floor."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.pressgauge.clients.turns import LEAVE, TURNS, Mongods, begin, end
from ansible.module_utils.pressgauge.failures import Failure, run_module

DOCUMENTATION = r"""
module: pressgauge_turn
short_description: A trial has the floor for several tasks, or gives it back
description:
  - With C(begun) it waits until the trial has the floor, and thaws its mongods. With C(over) it freezes them, and gives
    the floor back.
options:
  state: {type: str, required: true, choices: [begun, over], description: What is to be.}
  stage: {type: str, required: true, description: "The step: upgrade, at the end."}
  turns:
    type: dict
    required: true
    description: How the trial takes turns.
    suboptions:
      socket: {type: path, required: true, description: Where the harness gives the floor.}
      trial: {type: str, required: true, description: Whose turns they are.}
      instances: {type: list, elements: path, required: true, description: "Directories of the trial's mongods."}
author: The Pressgauge authors
"""
EXAMPLES = r"""
- name: The trial has the floor
  pressgauge_turn:
    state: begun
    stage: upgrade
    turns:
      socket: /srv/pressgauge/turns
      trial: 0007-2-zstd
      instances: [/srv/pressgauge/instances/t27117]
"""
RETURN = r"""
waited: {type: bool, returned: always, description: Whether the floor was asked for.}
"""

ARGUMENTS: dict[str, Any] = {
    "state": {"type": "str", "required": True, "choices": ["begun", "over"]},
    "stage": {"type": "str", "required": True},
    "turns": {**TURNS, "required": True},
}


def act(params: dict[str, Any]) -> dict[str, Any]:
    """Wait for the floor, or give it back."""
    begins = params["state"] == "begun"
    try:
        (begin if begins else end)(params["turns"], params["stage"])
    except Failure:
        if params["stage"] != LEAVE:
            raise
        Mongods.of(params["turns"]["instances"]).thaw()  # whoever gave turns is gone; a trial ends all the same
    return {"changed": True, "waited": begins}


if __name__ == "__main__":
    run_module(ARGUMENTS, act)
