"""What is done to the data: YCSB workload files, the load generator in `java/`, and readers of what it leaves."""

from workloads.errors import YcsbOutputError
from workloads.histogram import Histogram
from workloads.interval_log import Interval, IntervalLog, merge, read_interval_log
from workloads.ycsb_status import Status, read_status_line

__all__ = [
    "Histogram",
    "Interval",
    "IntervalLog",
    "Status",
    "YcsbOutputError",
    "merge",
    "read_interval_log",
    "read_status_line",
]
