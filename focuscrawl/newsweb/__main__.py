"""``python -m focuscrawl.newsweb``: serve the sample web until stdin closes or SIGTERM comes."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import socket
import sys
from collections.abc import Sequence
from functools import partial

from rich.console import Console
from rich.table import Table

from focuscrawl.newsweb.http import Handler, HttpProtocol
from focuscrawl.newsweb.server import Newsweb
from focuscrawl.newsweb.sites import site_plans
from focuscrawl.newsweb.world import DEFAULT_PAGES, World

HOST = "127.0.0.1"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 after a regular end, 2 when it could not start."""
    options = _parser().parse_args(arguments)
    try:
        latency = _latencies(options.latency)
        sockets = _bind(options.port)
        world = World(options.seed, options.pages)
    except (OSError, ValueError) as error:
        print(f"newsweb: {error}", file=sys.stderr)
        return 2
    try:
        asyncio.run(_serve(world, sockets, latency))
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m focuscrawl.newsweb", description=__doc__)
    parser.add_argument("--seed", type=int, default=7, help="another seed, another web")
    parser.add_argument(
        "--port", type=int, default=0, help="first port; sites take it and the next (0: any free)"
    )
    parser.add_argument("--pages", type=int, default=DEFAULT_PAGES, help="pages in all, about")
    parser.add_argument(
        "--latency", action="append", default=[], metavar="SITE=MS", help="slow one site down"
    )
    return parser


def _latencies(settings: Sequence[str]) -> dict[str, float]:
    found = {}
    for setting in settings:
        site, _, value = setting.partition("=")
        if site not in site_plans() or not value.isdigit():
            names = ", ".join(site_plans())
            raise ValueError(f"--latency {setting}: give SITE=MS with one of {names}")
        found[site] = int(value) / 1000
    return found


def _bind(first: int) -> dict[str, socket.socket]:
    """One listening socket per site, and one for the truth, last."""
    sockets = {}
    for number, name in enumerate([*site_plans(), "truth"]):
        port = first + number if first else 0
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except (OSError, OverflowError) as error:
            count = len(site_plans()) + 1
            raise OSError(
                f"port {port} for {name} cannot be used ({error}); "
                f"give another --port with {count} free ports in a row, or 0"
            ) from error
        sockets[name] = listener
    return sockets


async def _serve(
    world: World, sockets: dict[str, socket.socket], latency: dict[str, float]
) -> None:
    loop = asyncio.get_running_loop()
    urls = {name: f"http://{HOST}:{it.getsockname()[1]}" for name, it in sockets.items()}
    truth = urls.pop("truth")
    web = Newsweb(world, urls)
    for name, listener in sockets.items():
        handler: Handler = web.truth if name == "truth" else partial(web.site, name)
        factory = partial(HttpProtocol, handler, latency.get(name, 0.0))
        await loop.create_server(factory, sock=listener, backlog=256)
    ended = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    if sys.stdin.isatty():
        _show(urls, truth)
    else:
        print(json.dumps({"sites": urls, "truth": truth}), flush=True)
        loop.run_in_executor(None, _wait_for_end_of_input, loop, ended)
    await ended.wait()


def _wait_for_end_of_input(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    loop.call_soon_threadsafe(ended.set)


def _show(urls: dict[str, str], truth: str) -> None:
    table = Table("site", "address", title="The sample web (Ctrl-C ends it)")
    for name, url in urls.items():
        table.add_row(site_plans()[name].title, url)
    table.add_row("the truth about all pages", f"{truth}/truth")
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
