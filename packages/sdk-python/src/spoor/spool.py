"""Requests that wait on disk."""

from __future__ import annotations

import os
import time
from pathlib import Path


class Spool:
    """A folder of JSONL files, oldest first, which several processes may share.

    A file appears whole or not at all and is never changed. The service recognises one that two processes send.
    """

    def __init__(self, folder: str | os.PathLike[str], most_bytes: int) -> None:
        self._folder = Path(folder)
        self._most_bytes = most_bytes
        self._folder.mkdir(0o700, parents=True, exist_ok=True)

    def is_open_to_others(self) -> bool:
        """Whether another account may put files here, which are sent like those of the recorder."""
        stat = self._folder.stat()
        return os.name == "posix" and (stat.st_mode & 0o022 != 0 or stat.st_uid not in (0, os.getuid()))

    def files(self) -> list[Path]:
        return sorted(self._folder.glob("*.jsonl"))

    def write(self, lines: list[str]) -> None:
        """Durable when it returns. Raises OSError."""
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        if sum(map(_size, self.files())) + len(data) > self._most_bytes:
            raise OSError(f"{self._folder} has {self._most_bytes} bytes, its limit")
        part = self._folder / f"{time.time_ns()}-{os.urandom(4).hex()}.part"
        part.touch(0o600)
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(part.with_suffix(".jsonl"))
        if os.name == "posix":
            folder = os.open(self._folder, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # another process has sent it
        return 0
