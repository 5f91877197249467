"""The wheel: small, and in need of nothing."""

import os
import zipfile
from pathlib import Path

import pytest

import geoms

wheel = pytest.mark.skipif("GEOMS_WHEEL" not in os.environ, reason="no wheel (make test-python)")


@wheel
def test_size_and_contents():
    path = Path(os.environ["GEOMS_WHEEL"])
    assert path.stat().st_size < 15e6 and "-cp310-abi3-" in path.name
    names = zipfile.ZipFile(path).namelist()
    assert "geoms/py.typed" in names and "geoms/_core.pyi" in names and "geoms/NOTICES" in names


def needed(path: Path) -> list[str]:
    """DT_NEEDED of a shared object of 64 bits."""
    import struct

    data = path.read_bytes()
    assert data[:5] == b"\x7fELF\x02"
    (offset,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    headers = [struct.unpack_from("<IIQQQQQQ", data, offset + k * size) for k in range(count)]
    loads = [h for h in headers if h[0] == 1]
    place = lambda address: next(address - h[3] + h[2] for h in loads if h[3] <= address < h[3] + h[5])  # noqa: E731
    (dynamic,) = [h for h in headers if h[0] == 2]
    entries = [struct.unpack_from("<QQ", data, dynamic[2] + 16 * k) for k in range(dynamic[5] // 16)]
    strings = place(next(value for tag, value in entries if tag == 5))
    text = lambda at: data[strings + at : data.index(b"\0", strings + at)].decode()  # noqa: E731
    return [text(value) for tag, value in entries if tag == 1]


def test_no_blas_and_no_fortran():
    if not geoms._core.__file__.endswith(".so"):
        pytest.skip("not ELF")
    allowed = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "libgcc_s.so", "ld-linux", "librt.so")
    found = needed(Path(geoms._core.__file__))
    assert found and all(name.startswith(allowed) for name in found), found


def test_docstrings():
    for name in geoms.__all__:
        if name.startswith("from_"):
            continue
        assert name == "__version__" or getattr(geoms, name).__doc__, name
