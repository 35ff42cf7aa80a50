"""What the modules in ansible/library share. Runs on the hosts: Python 3.9, the standard library, pymongo."""
