from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from focuscrawl.commands.evaluate import Command
from focuscrawl.evaluation import session, trial

RAILS = "<p>trains run on rails, and trains stop at stations</p>"
FOOD = "<p>bread and cheese are food</p>"
PAGES = {
    "start": f"{RAILS}<a href=/wiki/bread>bread</a> <a href=/wiki/signal>trains on rails</a>",
    "bread": f"{FOOD}<a href=/wiki/cheese>cheese</a>",
    "cheese": FOOD,
    "signal": f"{RAILS}<a href=/wiki/track>rails and stations</a> <a href=/wiki/gone>gone</a>",
    "track": RAILS,
}
LABELS = ("rail start", "rail signal", "rail track", "food bread", "food cheese")
SEEDS = ("rail train 0 start", "food bread 0 bread", "rail train 1 signal")


def address(name: str) -> str:
    return f"http://web.test/wiki/{name}"


class Writer(WARCWriter):  # type: ignore[misc]
    """warcio's own buffer is a file that it leaves open."""

    @staticmethod
    def _create_temp_file() -> BytesIO:
        return BytesIO()


def write_archive(path: Path, pages: dict[str, str]) -> None:
    with path.open("wb") as file:
        writer = Writer(file, gzip=path.suffix == ".gz")
        for name, html in pages.items():
            for status, kind in (("200 OK", "text/html; charset=utf-8"), ("200 OK", "image/png")):
                headers = StatusAndHeaders(status, [("Content-Type", kind)], protocol="HTTP/1.1")
                url = address(name) + ("" if "html" in kind else ".png")
                body = BytesIO(html.encode())
                writer.write_record(
                    writer.create_warc_record(url, "response", payload=body, http_headers=headers)
                )


def write_table(path: Path, columns: str, *rows: str) -> str:
    """Written with spaces where the file has tabs; the last field is a page's name."""
    lines = [columns.replace(" ", "\t")]
    for row in rows:
        *fields, name = row.split()
        lines.append("\t".join([*fields, address(name)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_archive(tmp_path / "pages.warc.gz", PAGES)
    write_table(tmp_path / "labels.tsv", "topic url", *LABELS)
    write_table(tmp_path / "seeds.tsv", "topic words round url", *SEEDS)
    return tmp_path


def run(*args: str, archive: str = "pages.warc.gz") -> int:
    command = Command()
    command.settings = Settings()
    parser = ArgumentParser()
    command.add_options(parser)
    given = ("--labels", "labels.tsv", "--seeds", "seeds.tsv", "--orderings", "breadth-first,vsm")
    options, rest = parser.parse_known_args([archive, *given, *args])
    command.run(rest, options)
    return command.exitcode


def figures(*args: str, **options: Any) -> dict[str, Any]:
    assert run("--json", "out.json", *args, **options) == 0
    return json.loads(Path("out.json").read_text(encoding="utf-8"))


def test_the_table_and_the_figures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = figures("--budget", "3")
    out = capsys.readouterr().out
    assert "breadth-first" in out
    assert "vsm" in out
    # rail from start, 3 fetches: breadth first start, bread, signal; vsm start, signal, then
    # track. rail from signal: signal, track. food: bread, cheese.
    assert found["breadth-first"]["topics"]["rail"]["precision"] == pytest.approx(5 / 6, abs=1e-4)
    assert found["vsm"]["topics"]["rail"]["precision"] == 1
    assert found["vsm"]["topics"]["rail"]["recall"] == pytest.approx(5 / 6, abs=1e-4)
    assert found["breadth-first"]["topics"]["food"]["recall"] == 1
    assert found["vsm"]["target_length"] == pytest.approx((1.5 + 1 + 1) / 3, abs=1e-4)
    assert found["vsm"]["harvest_100"] is None


def test_missing_pages_count_as_not_relevant(folder: Path) -> None:
    found = figures("--budget", "1000", "--rounds", "1", "--orderings", "vsm")["vsm"]
    assert found["topics"]["rail"]["harvest_100"] == 0.03
    assert found["topics"]["rail"]["harvest_1000"] == 0.003
    assert found["topics"]["rail"]["precision"] == 0.6
    assert found["recall_1000"] == 1
    wanted = {"harvest_100", "harvest_200", "harvest_500", "harvest_1000", "recall_1000"}
    assert wanted | {"target_length", "seconds"} <= found.keys()


def test_a_folder_of_archives(folder: Path) -> None:
    many = folder / "many"
    many.mkdir()
    write_archive(many / "1.warc.gz", {name: PAGES[name] for name in ("start", "bread")})
    write_archive(many / "2.warc.gz", PAGES)
    assert figures("--budget", "5", archive="many").keys() == {"breadth-first", "vsm"}


def test_an_archive_that_is_not_compressed(folder: Path) -> None:
    write_archive(folder / "pages.warc", PAGES)
    zipped, plain = figures("--budget", "3"), figures("--budget", "3", archive="pages.warc")
    assert plain["vsm"]["recall"] == zipped["vsm"]["recall"]


def test_damage_costs_the_damaged_record_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (folder / "pages.warc.gz").read_bytes()
    (folder / "pages.warc.gz").write_bytes(whole + b"no record" + whole[:200])
    assert figures("--budget", "3")["vsm"]["topics"]["rail"]["precision"] == 1
    said = "records of the archive that cannot be read: garbage 1, cut off 1"
    assert said in " ".join(capsys.readouterr().err.split())


def test_the_plot(folder: Path) -> None:
    assert run("--plot", "out.html", "--budget", "20") == 0
    assert (folder / "out.html").read_text(encoding="utf-8").count("<polyline") == 2


def test_two_workers_find_the_same_as_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    alone = figures()
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    together = figures("--fresh")
    for each in (*alone.values(), *together.values()):
        for part in (each, *each["topics"].values()):
            del part["seconds"]
    assert together == alone


def test_what_was_finished_is_not_done_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A crawl that is interrupted in the middle leaves two behind: only the rest is made."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    made: list[trial.Job] = []
    make = trial.Trial.make

    def counted(self: trial.Trial, job: trial.Job) -> Any:
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(job)
        return make(self, job)

    monkeypatch.setattr(trial.Trial, "make", counted)
    assert run() == 1
    assert capsys.readouterr().err == "interrupted; the same command goes on from here\n"
    made.insert(0, made[0])  # three entries: the interruption does not come again
    assert run() == 0
    assert "2 of 6 crawls were finished before" in capsys.readouterr().err
    assert len({job.name for job in made}) == 6
    assert len(made) == 1 + 6
    monkeypatch.setattr(session, "pages_of", lambda *given: pytest.fail("the archive was read"))
    assert run() == 0
    assert run("--orderings", "vsm") == 0


def test_fresh_begins_from_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run() == 0
    made = 0
    read = session.pages_of

    def counted(*given: Any) -> Any:
        nonlocal made
        made += 1
        return read(*given)

    monkeypatch.setattr(session, "pages_of", counted)
    assert run() == 0
    assert run("--fresh") == 0
    assert made == 1


def complaint(capsys: pytest.CaptureFixture[str], *args: str, **options: str) -> str:
    capsys.readouterr()
    assert run(*args, **options) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_wrong_files_are_told_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty").mkdir()
    (folder / "text.warc").write_text("nothing of the kind")
    whole = (folder / "pages.warc.gz").read_bytes()
    (folder / "image.warc.gz").write_bytes(b"")
    assert complaint(capsys, archive="gone.warc").startswith("gone.warc: No such file")
    assert complaint(capsys, archive="empty").startswith("empty: no *.warc")
    assert complaint(capsys, archive="text.warc").startswith("text.warc: holds no WARC record")
    assert complaint(capsys, archive="image.warc.gz").startswith("image.warc.gz: no ")
    assert complaint(capsys, "--labels", "gone.tsv").startswith("gone.tsv: No such file")
    assert complaint(capsys, "--json", "gone/out.json").startswith("gone/out.json: cannot be")
    assert complaint(capsys, "--orderings", "vsm,crab").startswith("crab: no such ordering")
    (folder / "cut.warc.gz").write_bytes(whole[: len(whole) // 2])
    assert complaint(capsys, archive="cut.warc.gz")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("labels", "topic\tpage\n", "no column url"),
        ("labels", "", "no column topic and no column url"),
        ("labels", "topic\turl\n", "no labels"),
        ("labels", "topic\turl\nrail\n", "line 2: a field is empty"),
        ("labels", "topic\turl\nrail\tftp://x/\n", "line 2: 'ftp://x/' is no http(s) URL"),
        ("labels", "topic\turl\nrail\thttp://web.test/gone\n", "food: this topic has seeds and no"),
        (
            "labels",
            "topic\turl\nrail\thttp://web.test/gone\nfood\thttp://web.test/gone\n",
            "rail: none of its labelled pages",
        ),
        ("seeds", "topic\tround\turl\n", "no column words"),
        ("seeds", "topic\twords\tround\turl\n", "no seeds"),
        ("seeds", "topic\twords\tround\turl\na\tb\tone\thttp://x/\n", "line 2: round is 'one'"),
        (
            "seeds",
            "topic\twords\tround\turl\nrail\tb\t0\thttp://web.test/gone\n",
            "http://web.test/gone: a seed of rail is not in the archive",
        ),
    ],
)
def test_wrong_tables_are_told_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, said: str
) -> None:
    (folder / f"{name}.tsv").write_text(text)
    assert said in complaint(capsys)


def test_labels_and_seeds_may_be_spelled_otherwise(folder: Path) -> None:
    labels = (folder / "labels.tsv").read_text().replace("http://web.test", "HTTP://Web.Test:80")
    (folder / "labels.tsv").write_text(labels.replace("start\n", "start#top\n"))
    assert figures("--budget", "5")["vsm"]["recall"] == pytest.approx((1 + 1 + 2 / 3) / 3, abs=1e-4)


def test_labels_outside_the_archive_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_table(folder / "labels.tsv", "topic url", *LABELS, "rail gone")
    assert run() == 0
    assert "1 labelled pages are not in the archive" in capsys.readouterr().err


@pytest.mark.parametrize("args", [("--budget", "0"), ("--rounds", "0"), ("--labels", "")])
def test_usage(folder: Path, args: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        run(*args)
