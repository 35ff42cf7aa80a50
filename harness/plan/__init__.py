"""What a campaign comes to: trials, their order, hosts and words to Ansible."""
