"""Recorded traffic: what clients asked of a server and what it answered, prepared for being asked again.

`traffic` reads what mongod records, `profiler` what it profiles; `commands` says what can be replayed, `exchanges` puts
answers beside their questions, and `prepare` writes the file that the load generator reads.
"""

from datasets.recordings.prepare import Traffic, prepare_traffic

__all__ = ["Traffic", "prepare_traffic"]
