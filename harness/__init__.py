"""Decides: campaign spec, plan, run, ledger, and the command line."""
