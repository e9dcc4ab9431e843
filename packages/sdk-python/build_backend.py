"""Builds the wheel and the sdist (PEP 517) with the standard library alone: `python3 build_backend.py FOLDER`."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROJECT = (HERE / "pyproject.toml").read_text("utf-8")
#: Two builds of the same files are the same bytes.
DATE = (2026, 1, 1, 0, 0, 0)


def _field(name: str) -> str:
    found = re.search(rf'^{name} = "(.*)"$', PROJECT, re.MULTILINE)
    assert found, f"pyproject.toml has no {name}"
    return found[1]


NAME = f"{_field('name')}-{_field('version')}"


def _metadata() -> bytes:
    fields = {
        "Metadata-Version": "2.4",
        "Name": _field("name"),
        "Version": _field("version"),
        "Summary": _field("description"),
        "License-Expression": _field("license"),
        "Requires-Python": _field("requires-python"),
        "Description-Content-Type": "text/markdown",
    }
    lines = [f"{name}: {value}\n" for name, value in fields.items()]
    return ("".join(lines) + "\n" + (HERE / "README.md").read_text("utf-8")).encode()


def _sources() -> list[Path]:
    return sorted(path for path in (HERE / "src/spoor").iterdir() if path.suffix == ".py" or path.name == "py.typed")


def build_wheel(folder: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    info = f"{NAME}.dist-info"
    files = {f"spoor/{path.name}": path.read_bytes() for path in _sources()}
    files[f"{info}/METADATA"] = _metadata()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: spoor\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{NAME}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(folder: str, config_settings: Any = None) -> str:
    paths = [*_sources(), HERE / "pyproject.toml", HERE / "README.md", HERE / "build_backend.py"]
    files = {str(path.relative_to(HERE)): path.read_bytes() for path in paths}
    with tarfile.open(Path(folder, f"{NAME}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, data in {**files, "PKG-INFO": _metadata()}.items():
            entry = tarfile.TarInfo(f"{NAME}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return f"{NAME}.tar.gz"


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(build_wheel(sys.argv[1]), build_sdist(sys.argv[1]))
