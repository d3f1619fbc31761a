"""What a process uses, read from /proc."""

import os
import pathlib


class ProcessUsage:
    def __init__(self, pid):
        self.root = pathlib.Path("/proc") / str(pid)

    def cpu_seconds(self):
        """Of all threads, from the scheduler's own count in nanoseconds."""
        total = 0
        for task in os.listdir(self.root / "task"):
            try:
                total += int((self.root / "task" / task / "schedstat").read_text().split()[0])
            except FileNotFoundError:  # it ended meanwhile
                pass
        return total / 1e9

    def resident_bytes(self):
        return self._status("VmRSS")

    def peak_growth(self, action):
        """Bytes by which the resident memory grew at most during `action()`."""
        before = self.resident_bytes()
        (self.root / "clear_refs").write_text("5")  # the peak counts from here
        action()
        return self._status("VmHWM") - before

    def _status(self, field):
        for line in (self.root / "status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        raise AssertionError(field)
