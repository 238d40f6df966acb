"""The scheduler: hands Scrapy the frontier's best URL whose host may be asked now.

Requests that others make (retries, redirects, a user's own callbacks) wait in memory
and go first, as in Scrapy; those that carry a lease are safe from a crash because
their lease is. Plain links never become requests before it is their turn.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.utils.asyncio import CallLaterResult, call_later
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred

from focuscrawl.engine_hooks import delay_of, wake
from focuscrawl.frontier.buffer import LeaseBuffer
from focuscrawl.frontier.hosts import HostGate
from focuscrawl.frontier.records import NO_HARVEST, Candidate, Harvest, Lease, Visit
from focuscrawl.scrapy_made import MadeRequests, Turn
from focuscrawl.scrapy_options import META_LEASE, META_SEED, META_SOURCE
from focuscrawl.scrapy_ring import Ring
from focuscrawl.scrapy_sources import SourceReader
from focuscrawl.urls import normalise, site_of, url_id

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.dupefilters import BaseDupeFilter

_PRIORITY_SCALE = 1000
_LEASED_AHEAD = 2
_ANSWERS_WITHOUT_PAGE = [304]
_SOURCES_FIRST = 10.0


class FrontierScheduler(BaseScheduler):
    """Leases in small batches; a host is asked again only when it is its turn.

    No more pages are on their way than may be asked for at once, those included that wait
    for the pipelines: all that a killed process has to fetch again.
    """

    def __init__(self, crawler: Crawler, dupefilter: BaseDupeFilter) -> None:
        self.crawler = crawler
        self.ring = Ring.of(crawler)
        settings = crawler.settings
        self._dupefilter = dupefilter
        self._hosts = HostGate(
            settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
            settings.getint("FOCUSCRAWL_HOST_CAP"),
            lambda host: delay_of(crawler, host),
            lambda: monotonic(),
        )
        self._batch = max(settings.getint("CONCURRENT_REQUESTS"), 1)
        self._made = MadeRequests(self._hosts)
        self._buffer = LeaseBuffer(self._hosts)
        self._out: dict[int, Lease] = {}
        self._nothing_left = False
        self._alarm: CallLaterResult | None = None
        self._sources_until = 0.0
        self._asks_conditionally = settings.getbool("FOCUSCRAWL_HINTS")
        self.sources = SourceReader(self.ring, self)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FrontierScheduler:
        dupefilter_class = load_object(crawler.settings["DUPEFILTER_CLASS"])
        scheduler = cls(crawler, build_from_crawler(dupefilter_class, crawler))
        crawler.signals.connect(scheduler._left_downloader, signals.request_left_downloader)
        crawler.signals.connect(scheduler.sources.robots_parsed, signals.robots_parsed)
        return scheduler

    def open(self, spider: Spider) -> Deferred[None] | None:
        self.spider = spider
        return self._dupefilter.open()

    def close(self, reason: str) -> Deferred[None] | None:
        if self._alarm is not None:
            self._alarm.cancel()
        if self.ring.is_open:
            self.ring.frontier.release([*self._buffer.take_all(), *self._out.values()])
        self._out.clear()
        return self._dupefilter.close(reason)

    # -- what others give us ------------------------------------------------------

    def enqueue_request(self, request: Request) -> bool:
        if META_SEED in request.meta:
            return self._add_to_frontier(request)
        lease = request.meta.get(META_LEASE)
        if lease is not None:
            return self._take_back(request, lease)
        if not request.dont_filter and self._dupefilter.request_seen(request):
            self._dupefilter.log(request, self.spider)
            return False
        if self._is_plain(request):
            return self._add_to_frontier(request)
        self._made.push(request)
        return True

    def _is_plain(self, request: Request) -> bool:
        """A GET for the spider's own parse can live in the frontier; all else is kept as made."""
        return (
            self.ring.is_open
            and request.method == "GET"
            and request.callback is None
            and not request.cb_kwargs
            and not request.body
        )

    def _add_to_frontier(self, request: Request) -> bool:
        url = normalise(request.url)
        if url is None or not self.ring.is_open:
            return False
        seed = bool(request.meta.get(META_SEED))
        self._nothing_left = False
        self.ring.frontier.add([Candidate(url, site_of(url), seed=seed)])
        return True

    def _take_back(self, request: Request, lease: Lease) -> bool:
        """A retry or a redirect of a leased URL."""
        target = normalise(request.url)
        redirected = target is not None and target != lease.url
        if redirected and target is not None and self.ring.frontier.is_finished(target):
            self.settle(lease, Visit("redirected to a known page", alias_of=target))
            self.ring.count("dropped/redirect_to_known")
            return False
        self._hosts.free(lease.id)
        request.meta["download_slot"] = site_of(target or lease.url)
        self._made.push(request)
        return True

    # -- what the engine takes ------------------------------------------------------

    def has_pending_requests(self) -> bool:
        if self._made or self._buffer:
            return True
        return self.ring.is_open and self._has_budget() and not self._nothing_left

    def next_request(self) -> Request | None:
        made = self._next_made()
        if made is not None:
            return made
        if self._made:
            self._sleep_until_ready()
        if not self.ring.is_open or not self._has_budget() or len(self._out) >= self._batch:
            return None
        lease = self._buffer.next_ready()
        if lease is None and not self._waits_for_sources():
            lease = self._refill()
        if lease is None:
            self._sleep_until_ready()
            return None
        return self._request(lease)

    def _next_made(self) -> Request | None:
        """What this run cannot ask for any more is let go on the way."""
        while (found := self._made.next(has_budget=self._has_budget())) is not None:
            turn, request = found
            if turn is Turn.GO:
                if META_SOURCE in request.meta:
                    self.ring.budget.spent += 1
                    self.ring.count("fetches")
                return request
            if turn is Turn.LEFT_OUT:
                self.has_read(request.meta["download_slot"])
                self.ring.count("sources/left_out")
            else:
                lease = request.meta[META_LEASE]
                self._over(lease)
                self.ring.frontier.release([lease])
        return None

    def _has_budget(self) -> bool:
        return self.ring.budget.left > 0

    def _waits_for_sources(self) -> bool:
        """A phase begins with what sitemaps say, or a quick host's pages would go before seeds."""
        return self._hosts.is_holding() and monotonic() < self._sources_until

    def _refill(self) -> Lease | None:
        if len(self._buffer) >= _LEASED_AHEAD * self._batch:
            return None
        wanted = int(min(self._batch, self.ring.budget.left - len(self._buffer)))
        leases = self.ring.frontier.lease(wanted, self._buffer.unspoken_room)
        if not leases and not self._waits_for_a_host():
            self.ring.frontier.refresh()
            leases = self.ring.frontier.lease(wanted, self._buffer.unspoken_room)
            self._nothing_left = not leases
        self._buffer.extend(leases)
        return self._buffer.next_ready()

    def _waits_for_a_host(self) -> bool:
        """Whether URLs may be queued that only wait until their host may be asked again."""
        return bool(self._out) or self._hosts.next_ready() is not None

    def _request(self, lease: Lease) -> Request:
        self.ring.budget.spent += 1
        self._out[lease.id] = lease
        self._hosts.ask_first(lease.id, lease.host)
        self.ring.count("fetches")
        return Request(
            lease.url,
            errback=getattr(self.spider, "failed", None),
            headers=lease.validators() if self._asks_conditionally else {},
            priority=round(lease.priority * _PRIORITY_SCALE),
            dont_filter=True,
            meta={
                META_LEASE: lease,
                "download_slot": lease.host,
                "handle_httpstatus_list": _ANSWERS_WITHOUT_PAGE,
            },
        )

    def _sleep_until_ready(self) -> None:
        """All that waits must wait for its host: be called again when the first may be asked."""
        pause = self._hosts.next_ready()
        if self._waits_for_sources():
            pause = self._sources_until - monotonic()
        if pause is not None and self._alarm is None:
            self._alarm = call_later(max(pause, 0.001), self._wake)

    def _wake(self) -> None:
        self._alarm = None
        wake(self.crawler)

    # -- what goes before pages --------------------------------------------------------

    def read_first(self, request: Request, host: str) -> None:
        """A sitemap or a feed: the host's pages wait until it was read."""
        self._hosts.hold(host)
        self._made.push(request)
        wake(self.crawler)

    def has_read(self, host: str) -> None:
        self._hosts.let_go(host)
        self._nothing_left = False
        wake(self.crawler)

    def rest(self, host: str, seconds: float) -> None:
        """The host wants to be left alone: what was leased ahead of it goes back."""
        self._hosts.rest(host, seconds)
        self.ring.frontier.release(self._buffer.take_out(host))

    def start(self) -> None:
        """The stores are open: what earlier runs were asked to do is still to be done."""
        for host, seconds in self.ring.frontier.resting_hosts():
            self._hosts.rest(host, seconds)
        self.sources.start()
        self._sources_until = monotonic() + _SOURCES_FIRST

    # -- how fetches end --------------------------------------------------------------

    def _left_downloader(self, request: Request, spider: Spider) -> None:
        lease = request.meta.get(META_LEASE)
        if lease is not None:
            self._hosts.free(lease.id)
        elif META_SOURCE in request.meta:
            self._hosts.free(url_id(request.meta[META_SOURCE].url))

    def _over(self, lease: Lease) -> None:
        self._hosts.free(lease.id)
        self._out.pop(lease.id, None)
        self._nothing_left = False

    def settle(self, lease: Lease, visit: Visit, harvest: Harvest = NO_HARVEST) -> None:
        """The visit is over: tell the frontier, with the page's links, in one step."""
        self._over(lease)
        added = self.ring.frontier.complete(lease, visit, *harvest)
        self.ring.count("links/new", added.new)
        self.ring.count("links/rescored", added.rescored)
        self.ring.count("links/known", added.known)

    def failed(
        self, lease: Lease, rule: str, *, for_good: bool, pause: float | None = None
    ) -> None:
        """The fetch came to nothing: try later, or never again.

        With ``pause`` the host itself said when to come back: that is no failed attempt.
        """
        self._over(lease)
        attempts = self.crawler.settings.getint("FOCUSCRAWL_MAX_ATTEMPTS")
        if pause is not None:
            self.ring.frontier.retry_later(lease, pause, rule, is_failure=False)
            self._hosts.rest(lease.host, pause)
            self.ring.count("failed/later")
        elif for_good or lease.attempts + 1 >= attempts:
            self.ring.frontier.give_up(lease, rule)
            self.ring.count("failed/given_up")
        else:
            wait = self.crawler.settings.getfloat("FOCUSCRAWL_RETRY_SECONDS") * 2**lease.attempts
            self.ring.frontier.retry_later(lease, wait, rule)
            self.ring.count("failed/later")
