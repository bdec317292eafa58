"""Nothing in; this process ahead of the machine's other work, where the system permits it."""

from __future__ import annotations

import os


def ahead_of_others() -> str:
    """Take real-time priority, which children inherit; what came of it, in words."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except (AttributeError, OSError):
        return "ordinary"
    return "real-time"
