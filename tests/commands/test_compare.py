from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import UsageError

from focuscrawl.commands import compare
from focuscrawl.commands.compare import Command, PageError, read_page

OLD = "<main><h1>Bakery</h1><p>Bread costs two crowns.</p><h2>Hours</h2><p>Open all day.</p></main>"
NEW = OLD.replace("two crowns", "three crowns")
SCRIPTED = OLD.replace("</main>", "</main><script>count()</script>")
REBUILT = OLD.replace("<main>", "<main class=wide>").replace("</main>", "<p>Closed</p></main>")
PAGES = {"old.html": OLD, "new.html": NEW, "scripted.html": SCRIPTED, "rebuilt.html": REBUILT}
START = """
import sys
from scrapy.cmdline import execute
from scrapy.settings import Settings
settings = Settings({"COMMANDS_MODULE": "focuscrawl.commands", "TELNETCONSOLE_ENABLED": False})
execute(["scrapy", "compare", *sys.argv[1:]], settings=settings)
"""


def run(*args: str, **options: Any) -> int:
    command = Command()
    command.run(list(args), Namespace(**{"url": None, "json": False, "pairs": None} | options))
    return command.exitcode


def child(project_root: Path, *args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command as a user starts it, in its own process."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    return subprocess.run(
        [sys.executable, "-c", START, *args], cwd=project_root, timeout=60, check=False, **given
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with pages, which is not the one that the command is started in."""
    pages = tmp_path / "versions"
    pages.mkdir()
    for name, html in PAGES.items():
        (pages / name).write_text(html, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return pages


def table(folder: Path, *rows: str, columns: str = "old new content_changed") -> str:
    """A table of pairs, written with spaces where the file has tabs."""
    path = folder / "pairs.tsv"
    text = "\n".join(row.replace(" ", "\t") for row in (columns, *rows))
    path.write_bytes(os.fsencode(text + "\n"))
    return str(path)


def answers(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_two_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("versions/old.html", "versions/new.html") == 0
    assert capsys.readouterr().out == (
        "kinds    textual\n"
        "content  changed in 1 block\n"
        "\n"
        "Bakery\n"
        "  - Bread costs two crowns.\n"
        "  + Bread costs three crowns.\n"
    )


def test_the_same_content(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("versions/old.html", "versions/scripted.html", url="http://bakery.test/") == 0
    assert capsys.readouterr().out == (
        "http://bakery.test/\n\nkinds    behaviour\ncontent  unchanged\n"
    )
    assert run("versions/old.html", "versions/old.html") == 0
    assert capsys.readouterr().out == "kinds    none\ncontent  unchanged\n"


def test_lines_in_another_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.html").write_text("<p>one</p><p>two</p>", encoding="utf-8")
    Path("b.html").write_text("<p>two</p><p>one</p>", encoding="utf-8")
    assert run("a.html", "b.html") == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "(no heading)",
        "  the same lines in another order",
    ]


def test_much_is_shortened_on_a_terminal_but_not_in_json(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.html").write_text("<h1>Log</h1>", encoding="utf-8")
    long = "word " * 39 + "end"
    paragraphs = "".join(f"<p>{n} {long}</p>" for n in range(12))
    Path("b.html").write_text(f"<h1>Log</h1>{paragraphs}", encoding="utf-8")
    run("a.html", "b.html")
    shown = capsys.readouterr().out.splitlines()[4:]
    assert len(shown) == 11
    assert shown[0] == f"  + {f'0 {long}'[:99]}…"
    assert shown[-1] == "  + … 2 more"
    run("a.html", "b.html", json=True)
    (block,) = answers(capsys)[0]["blocks"]
    assert len(block["added"]) == 12
    assert block["added"][0] == f"0 {long}"


def test_a_page_sends_no_control_characters_to_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("evil.html").write_text("<h1>\x1b[2J</h1><p>a\x07\u202eb</p>", encoding="utf-8")
    run("versions/old.html", "evil.html")
    assert capsys.readouterr().out.replace("\n", "").isprintable()


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("versions/old.html", "versions/new.html", json=True) == 0
    assert answers(capsys) == [
        {
            "old": "versions/old.html",
            "new": "versions/new.html",
            "content_changed": True,
            "kinds": ["textual"],
            "blocks": [
                {
                    "heading": "Bakery",
                    "removed": ["Bread costs two crowns."],
                    "added": ["Bread costs three crowns."],
                }
            ],
        }
    ]
    run("versions/old.html", "versions/old.html", json=True, url="http://bakery.test/")
    (answer,) = answers(capsys)
    assert (answer["url"], answer["content_changed"]) == ("http://bakery.test/", False)
    assert (answer["kinds"], answer["blocks"]) == ([], [])


def test_a_table_with_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = table(
        folder,
        "old.html new.html 1",
        "old.html scripted.html 0",
        f"old.html {folder}/rebuilt.html 0",
        "new.html new.html 1",
        "rebuilt.html new.html 1",
    )
    assert run(pairs=pairs) == 0
    *each, totals = answers(capsys)
    assert each == [
        {"old": "old.html", "new": "new.html", "content_changed": True, "kinds": ["textual"]},
        {"old": "old.html", "new": "scripted.html", "content_changed": False,
         "kinds": ["behaviour"]},
        {"old": "old.html", "new": f"{folder}/rebuilt.html", "content_changed": True,
         "kinds": ["structural", "presentation"]},
        {"old": "new.html", "new": "new.html", "content_changed": False, "kinds": []},
        {"old": "rebuilt.html", "new": "new.html", "content_changed": True,
         "kinds": ["structural", "presentation"]},
    ]  # fmt: skip
    assert totals == {
        "pairs": 5, "content_changed": 3, "structural": 2, "textual": 1, "presentation": 2,
        "behaviour": 1, "skipped": 0, "precision": 0.6667, "recall": 0.6667,
    }  # fmt: skip


def test_a_table_without_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = table(folder, "x new.html http://a.test old.html", columns="page new url old")
    assert run(pairs=pairs) == 0
    answer, totals = answers(capsys)
    assert (answer["old"], answer["new"]) == ("old.html", "new.html")
    assert totals == {
        "pairs": 1, "content_changed": 1, "structural": 0, "textual": 1, "presentation": 0,
        "behaviour": 0, "skipped": 0,
    }  # fmt: skip


def test_nothing_to_divide_by(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(pairs=table(folder, "old.html old.html 0", "", "old.html new.html")) == 0
    totals = answers(capsys)[-1]
    assert (totals["pairs"], totals["precision"], totals["recall"]) == (2, None, None)


def test_a_table_from_another_system(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = folder / "pairs.tsv"
    pairs.write_bytes(b"\xef\xbb\xbfold\tnew\tcontent_changed\r\nold.html\tnew.html\t1\r\n")
    assert run(pairs=str(pairs)) == 0
    assert answers(capsys)[-1]["precision"] == 1.0


def test_a_file_that_is_missing_is_named_and_the_other_pairs_answered(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = table(folder, "none.html new.html 1", "old.html", "old.html new.html 1")
    assert run(pairs=pairs) == 1
    shown = capsys.readouterr()
    answer, totals = [json.loads(line) for line in shown.out.splitlines()]
    assert answer["new"] == "new.html"
    assert (totals["pairs"], totals["skipped"], totals["recall"]) == (1, 2, 1.0)
    assert shown.err.splitlines() == [
        f"{folder / 'none.html'}: No such file or directory; give a stored page, gzipped or not",
        f"{pairs}: line 3: no file under new; name one",
    ]


def test_a_label_that_is_neither_0_nor_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = table(folder, "old.html new.html yes", "old.html new.html 1")
    assert run(pairs=pairs) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out.splitlines()[-1])["pairs"] == 2
    assert shown.err == f"{pairs}: line 2: content_changed is 'yes'; write 0 or 1\n"


def test_one_of_two_files_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("versions/old.html", "versions") == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "versions: Is a directory; give a stored page, gzipped or not\n"


def test_a_table_that_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(pairs="none.tsv") == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (
        "",
        "none.tsv: No such file or directory; give a table of pairs\n",
    )


@pytest.mark.parametrize(
    ("columns", "missing"),
    [("old content_changed", "new"), ("before new", "old"), ("", "old and no column new")],
)
def test_a_table_without_a_needed_column(folder: Path, columns: str, missing: str) -> None:
    pairs = table(folder, columns=columns)
    with pytest.raises(UsageError) as raised:
        run(pairs=pairs)
    assert str(raised.value) == (
        f"{pairs}: no column {missing}; "
        "begin the table with a line of column names, with tabs between them"
    )
    assert not raised.value.print_help


@pytest.mark.parametrize(
    ("args", "options"),
    [([], {}), (["a.html"], {}), (["a", "b", "c"], {}), (["a", "b"], {"pairs": "p.tsv"})],
)
def test_wrong_use(args: list[str], options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="give two files, or --pairs"):
        run(*args, **options)


def test_gzipped_pages_are_known_by_their_first_bytes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("zipped.html").write_bytes(gzip.compress(NEW.encode()))
    assert run("versions/new.html", "zipped.html", json=True) == 0
    assert answers(capsys)[0]["kinds"] == []


@pytest.mark.parametrize("spoilt", [slice(0, 30), slice(0, 12), slice(0, 2)])
def test_a_damaged_gzip_file(tmp_path: Path, spoilt: slice) -> None:
    page = tmp_path / "page.gz"
    page.write_bytes(gzip.compress(NEW.encode())[spoilt])
    with pytest.raises(PageError, match=r"page\.gz: a damaged gzip file; fetch it again"):
        read_page(page)


def test_gzip_that_is_none(tmp_path: Path) -> None:
    page = tmp_path / "page.gz"
    for body in (b"\x1f\x8bnot at all", gzip.compress(b"x")[:10] + b"\xff" * 20):
        page.write_bytes(body)
        with pytest.raises(PageError, match="a damaged gzip file"):
            read_page(page)


@pytest.mark.parametrize("pack", [gzip.compress, bytes])
def test_a_page_is_read_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any
) -> None:
    monkeypatch.setattr(compare, "MAX_PAGE_BYTES", 1 << 20)
    page = tmp_path / "page"
    page.write_bytes(pack(b" " * (1 << 20)))
    assert len(read_page(page)) == 1 << 20
    page.write_bytes(pack(b" " * ((1 << 20) + 1)))
    with pytest.raises(PageError, match="page: more than 1 MB unpacked; give a file of a single"):
        read_page(page)


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(PageError, match="null byte; give a stored page"):
        read_page(Path("a\0b"))


@pytest.mark.parametrize(
    "body",
    [
        "<meta charset=iso-8859-2><p>žluť</p>".encode("iso-8859-2"),
        "<meta http-equiv=content-type content='text/html; charset=iso-8859-2'><p>žluť</p>".encode(
            "iso-8859-2"
        ),
        "<p>žluť</p>".encode(),
        "\ufeff<p>žluť</p>".encode(),
        "\ufeff<p>žluť</p>".encode("utf-16-le"),
    ],
    ids=["meta", "http-equiv", "nothing said", "mark", "utf-16"],
)
def test_the_charset_is_the_one_that_the_page_names(tmp_path: Path, body: bytes) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(body)
    assert read_page(page).endswith("<p>žluť</p>")


def test_no_letter_is_lost_where_a_western_page_names_no_charset(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes("<p>Größe</p>".encode("cp1252"))
    assert read_page(page) == "<p>Größe</p>"


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux alone")
def test_a_file_name_that_is_not_utf_8(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = os.fsdecode(b"gr\xfcn.html")
    (folder / name).write_text(NEW, encoding="utf-8")
    assert run(pairs=table(folder, f"old.html {name} 1")) == 0
    answer, _ = answers(capsys)
    assert (answer["new"], answer["content_changed"]) == (name, True)


def test_an_answer_does_not_wait_for_the_next_pair(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []

    def counted(path: Path) -> str:
        flushed.append(len(capsys.readouterr().out.splitlines()))
        return read_page(path)

    monkeypatch.setattr(compare, "read_page", counted)
    run(pairs=table(folder, "old.html new.html 1", "old.html new.html 1"))
    assert flushed == [0, 0, 1, 0]


def test_the_command_line(folder: Path, project_root: Path) -> None:
    done = child(project_root, "--json", str(folder / "old.html"), str(folder / "new.html"))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["kinds"] == ["textual"]


def test_codes_of_the_command_line(folder: Path, project_root: Path) -> None:
    done = child(project_root, "--pairs", table(folder, "old.html none.html 1"))
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    done = child(project_root, "--pairs", table(folder, columns="old"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "no column new; begin the table" in done.stderr


@pytest.mark.parametrize("form", ["pair", "json", "table"])
def test_a_reader_who_has_seen_enough(folder: Path, project_root: Path, form: str) -> None:
    files = [str(folder / "old.html"), str(folder / "new.html")]
    args = {
        "pair": files,
        "json": ["--json", *files],
        "table": ["--pairs", table(folder, *["old.html new.html 1"] * 3)],
    }[form]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = child(project_root, *args, stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
