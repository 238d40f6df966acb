"""Guards for the whole suite: nothing leaves this machine, and Hypothesis repeats itself."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("focuscrawl", deadline=None, derandomize=True)
settings.load_profile("focuscrawl")


def _is_here(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a unix socket
    host = address[0]
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def only_loopback() -> Iterator[None]:
    """A test that forgets its local server must fail here, not reach the live web."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            original = getattr(socket.socket, name)

            def guarded(self: socket.socket, address: Any, original: Any = original) -> Any:
                if not _is_here(address):
                    raise AssertionError(f"a test tried to reach {address}: use a loopback server")
                return original(self, address)

            patch.setattr(socket.socket, name, guarded)
        yield


@pytest.fixture(scope="session")
def project_root() -> Path:
    return Path(__file__).resolve().parents[1]
