"""The hosts of a campaign: what is told to them by Ansible, and what they answer."""
