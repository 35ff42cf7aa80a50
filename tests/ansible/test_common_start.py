"""The moment at which several clients begin, as Ansible itself computes it."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LEAD_S = 2
PLAY = f"""
- hosts: localhost
  gather_facts: false
  vars:
    trial_start_lead_s: {LEAD_S}
    trial: {{load: {{clients: [first, second]}}}}
  tasks:
    - ansible.builtin.import_tasks: {ROOT}/ansible/common_start.yml
    - ansible.builtin.debug: {{msg: "begins at {{{{ trial_start_at_ms }}}}"}}
"""


@pytest.mark.parametrize("zone", ["UTC0", "NEWYORK5", "BERLIN-1", "EST5EDT"])
def test_the_moment_is_the_same_in_every_time_zone_of_the_controller(zone: str, tmp_path: Path) -> None:
    playbook = tmp_path / "play.yml"
    playbook.write_text(PLAY)
    before_s = time.time()
    done = subprocess.run(
        [ROOT / ".venv/bin/ansible-playbook", "-i", "localhost,", "-c", "local", playbook],
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible/ansible.cfg"), "TZ": zone},
        capture_output=True,
        text=True,
        check=False,
    )
    after_s = time.time()
    chosen = re.search(r"begins at (\d+)", done.stdout)
    assert chosen, done.stdout + done.stderr
    assert int(before_s * 1000) <= int(chosen[1]) - LEAD_S * 1000 <= after_s * 1000
