"""Loaded by every Python under faketime: Debian 12's version breaks the sleep of Python 3.11.

With the monotonic clock left alone it hands the kernel a negative time (its issue 426).
"""

import select
import time


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


time.sleep = _sleep
