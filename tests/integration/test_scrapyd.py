"""The project deployed to a real scrapyd: password, upload from a clean copy, a job, its pages."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from focuscrawl.newsweb.client import running_newsweb

PASSWORD = "only for this test"
SPIDERS = {"business", "crime", "health", "politics", "sports", "technology", "topic"}
BUDGET = 30
PATIENCE = 60.0


@dataclass(frozen=True)
class Scrapyd:
    url: str
    folder: Path

    def call(
        self, service: str, form: list[tuple[str, str]] | None = None, password: str = PASSWORD
    ) -> dict[str, Any]:
        """GET, or POST when there is a form; an empty password sends no credentials."""
        data = urlencode(form).encode() if form else None
        request = urllib.request.Request(f"{self.url}/{service}", data)
        if password:
            credentials = b64encode(f"focuscrawl:{password}".encode()).decode()
            request.add_header("Authorization", f"Basic {credentials}")
        with urllib.request.urlopen(request, timeout=60) as reply:
            answer: dict[str, Any] = json.load(reply)
        return answer

    def status_without(self, password: str, service: str) -> int:
        try:
            self.call(service, password=password)
        except urllib.error.HTTPError as error:
            with error:
                return error.code
        return 200


def wait_until(ready: Any, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} took more than {PATIENCE:.0f} s")
        time.sleep(0.1)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def environment(home: Path, **more: str) -> dict[str, str]:
    """Ours alone: no scrapyd settings, Scrapy settings or passwords of whoever runs the tests."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SCRAPY", "PYTHON", "HOME"))}
    return {**kept, "HOME": str(home), **more}


def tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory, project_root: Path) -> Iterator[Scrapyd]:
    folder, port = tmp_path_factory.mktemp("scrapyd"), free_port()
    shutil.copy(project_root / "scrapyd.conf", folder)
    (folder / ".scrapyd.conf").write_text("[scrapyd]\npoll_interval = 0.2\n", encoding="utf-8")
    variables = environment(folder, SCRAPYD_PASSWORD=PASSWORD, SCRAPYD_HTTP_PORT=str(port))
    with (folder / "scrapyd.log").open("wb") as log:
        server = subprocess.Popen(
            [tool("scrapyd")], cwd=folder, env=variables, stdout=log, stderr=log
        )
    try:
        wait_until(lambda: listens(port) or server.poll() is not None, "starting scrapyd")
        assert server.poll() is None, (folder / "scrapyd.log").read_text()
        yield Scrapyd(f"http://127.0.0.1:{port}", folder)
    finally:
        server.terminate()
        server.wait(timeout=20)


def clean_copy(source: Path, target: Path) -> None:
    """What a fresh clone would hold, with the work in progress."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=source, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs git and a checkout")
    for name in filter(None, listed.decode().split("\0")):
        if (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, target / name)


@pytest.fixture(scope="module")
def deployed(
    scrapyd: Scrapyd, tmp_path_factory: pytest.TempPathFactory, project_root: Path
) -> Scrapyd:
    copy = tmp_path_factory.mktemp("clone")
    clean_copy(project_root, copy)
    config = (copy / "scrapy.cfg").read_text(encoding="utf-8")
    (copy / "scrapy.cfg").write_text(
        config.replace("http://localhost:6800", scrapyd.url), encoding="utf-8"
    )
    done = subprocess.run(
        [tool("scrapyd-deploy"), "local"],
        cwd=copy,
        env=environment(copy, SCRAPYD_PASSWORD=PASSWORD),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert answer["status"] == "ok", answer
    return scrapyd


def test_it_does_not_start_without_a_password(tmp_path: Path, project_root: Path) -> None:
    shutil.copy(project_root / "scrapyd.conf", tmp_path)
    done = subprocess.run(
        [tool("scrapyd")],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode != 0
    assert "set_the_environment_variable_scrapyd_password" in done.stdout + done.stderr


@pytest.mark.parametrize("service", ["daemonstatus.json", "", "logs/", "jobs"])
@pytest.mark.parametrize("password", ["", "wrong"])
def test_nothing_is_shown_without_the_password(
    scrapyd: Scrapyd, service: str, password: str
) -> None:
    assert scrapyd.status_without(password, service) == 401


def test_the_egg_from_a_clean_copy_lists_every_spider(deployed: Scrapyd) -> None:
    answer = deployed.call("listspiders.json?project=focuscrawl")
    assert answer["status"] == "ok", answer
    assert set(answer["spiders"]) >= SPIDERS


def job_state(server: Scrapyd, job: str) -> str:
    jobs = server.call("listjobs.json?project=focuscrawl")
    return next(
        (
            state
            for state in ("pending", "running", "finished")
            if any(entry["id"] == job for entry in jobs[state])
        ),
        "unknown",
    )


def test_a_scheduled_category_leaves_its_pages_in_the_store(
    deployed: Scrapyd, tmp_path: Path
) -> None:
    with running_newsweb(seed=7) as web:
        form = [
            ("project", "focuscrawl"),
            ("spider", "sports"),
            ("setting", f"FOCUSCRAWL_DIR={tmp_path}"),
            ("setting", f"FOCUSCRAWL_BUDGET={BUDGET}"),
            ("seeds", ",".join(f"{site}/" for site in web.sites.values())),
        ]
        answer = deployed.call("schedule.json", form)
        assert answer["status"] == "ok", answer
        job = str(answer["jobid"])
        wait_until(lambda: job_state(deployed, job) == "finished", "the job")
    log = deployed.folder / "logs" / "focuscrawl" / "sports" / f"{job}.log"
    with closing(sqlite3.connect(tmp_path / "repository.sqlite")) as store:
        (pages,) = store.execute("SELECT count(*) FROM pages").fetchone()
    assert pages > 0, log.read_text(encoding="utf-8")[-2000:]
    assert (tmp_path / "frontier.sqlite").is_file()
