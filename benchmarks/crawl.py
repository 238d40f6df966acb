"""Pages per CPU second of a whole focuscrawl crawl against plain Scrapy, on one static site.

Every contestant crawls in its own process, with robots.txt obeyed and the same concurrency; the
rounds are interleaved and the median counts. CPU seconds run from the opened spider to the end of
the process's crawl; what importing costs before that is shown beside them. Plain Scrapy stores
nothing; focuscrawl classifies, parts into blocks, stores and scores every page.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from _common import ChildFailed, Figures, finish, measured_child, options, ratio, show
from _static_site import TOPIC_WORDS, RunningSite, Site, running_site

CONTESTANTS = ("linkextractor", "follow", "focuscrawl")
SHOWN = ("cpu_s", "startup_cpu_s", "peak_mb")
TITLES = {
    "linkextractor": "Scrapy, LinkExtractor",
    "follow": "Scrapy, response.follow over css",
    "focuscrawl": "focuscrawl, all pipelines, store on",
}


def category_file(folder: str, site: RunningSite) -> Path:
    """A topic that keeps the whole site: its words stand on every page."""
    target = Path(folder, "everything.toml")
    words = ", ".join(f'"{word}"' for word in TOPIC_WORDS)
    target.write_text(
        f'title = "Everything"\nwords = [{words}]\nseeds = ["{site.first}"]\n'
        f'domains = ["{site.netloc}"]\nthreshold = 0.0001\n',
        encoding="utf-8",
    )
    return target


def one_crawl(contestant: str, site: RunningSite, category: Path) -> Figures:
    before = site.counts()
    arguments = (contestant, site.first, str(site.site.pages), str(category))
    figures = measured_child("_crawl_child.py", *arguments, timeout=900)
    after = site.counts()
    fetched = [path for path in after if path.startswith("/news/")]
    pages = sum(after[path] > before.get(path, 0) for path in fetched)
    if pages < site.site.pages:
        raise ChildFailed(f"only {pages} of {site.site.pages} pages fetched")
    return {**figures, "pages": pages}


def measure(rounds: int, site: RunningSite, category: Path) -> dict[str, list[Figures] | str]:
    results: dict[str, list[Figures] | str] = {contestant: [] for contestant in CONTESTANTS}
    for _ in range(rounds):
        for contestant in CONTESTANTS:
            runs = results[contestant]
            if isinstance(runs, str):
                continue
            try:
                runs.append(one_crawl(contestant, site, category))
            except ChildFailed as error:
                results[contestant] = f"failed: {error}"
    return results


def middle(runs: list[Figures] | str, key: str) -> float | None:
    return None if isinstance(runs, str) else median(float(run[key] or 0) for run in runs)


def rate(runs: list[Figures] | str) -> float | None:
    if isinstance(runs, str):
        return None
    return median(float(run["pages"] or 0) / float(run["cpu_s"] or 1) for run in runs)


def main(argv: Sequence[str] | None = None) -> None:
    chosen = options(__doc__ or "", argv)
    rounds = 2 if chosen.quick else 3
    layout = Site(pages=800 if chosen.quick else 5000, size=20_000, fanout=8, extra_links=22)
    with running_site(layout) as site, tempfile.TemporaryDirectory() as folder:
        results = measure(rounds, site, category_file(folder, site))
    rates = {contestant: rate(results[contestant]) for contestant in CONTESTANTS}
    show(
        f"{layout.pages} pages of 20 kB with 30 links, median of {rounds}",
        ("contestant", "pages/CPU s", "CPU s", "start-up CPU s", "peak MB"),
        [
            (TITLES[name], runs)
            if isinstance(runs, str)
            else (TITLES[name], rates[name], *(middle(runs, key) for key in SHOWN))
            for name, runs in results.items()
        ],
    )
    ours = rates["focuscrawl"]
    finish(
        {
            "ratio_vs_linkextractor": ratio(ours, rates["linkextractor"]),
            "ratio_vs_follow": ratio(ours, rates["follow"]),
            "pages_per_cpu_s": ours,
            "linkextractor_pages_per_cpu_s": rates["linkextractor"],
            "follow_pages_per_cpu_s": rates["follow"],
            "startup_cpu_s": middle(results["focuscrawl"], "startup_cpu_s"),
            "pages": layout.pages,
            "rounds": rounds,
        },
        chosen.json,
    )


if __name__ == "__main__":
    main()
