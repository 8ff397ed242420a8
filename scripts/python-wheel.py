"""Writes the wheel of a Python package without other modules: python-wheel.py SOURCE-DISTRIBUTION WHEEL. The same source gives the same file."""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

source, wheel = Path(sys.argv[1]), Path(sys.argv[2])
name, version = wheel.name.split("-")[:2]
info = f"{name}-{version}.dist-info"

WHEEL = "Wheel-Version: 1.0\nGenerator: switchyard\nRoot-Is-Purelib: true\nTag: py3-none-any\n"

files = {f"{name}/{file.name}": file.read_bytes() for file in sorted((source / "src" / name).iterdir()) if file.is_file()}
files[f"{info}/METADATA"] = (source / "PKG-INFO").read_bytes()
files[f"{info}/WHEEL"] = WHEEL.encode()
files[f"{info}/LICENSE"] = (source / "LICENSE").read_bytes()


def hash_of(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


record = [f"{file},sha256={hash_of(content)},{len(content)}" for file, content in files.items()]
files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()

with zipfile.ZipFile(wheel, "w") as archive:
    for file, content in files.items():
        entry = zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        archive.writestr(entry, content)
