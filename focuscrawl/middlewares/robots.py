"""robots.txt as RFC 9309 reads it: a site that cannot show its rules is not entered."""

from __future__ import annotations

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred


class RobotsOutOfOrder(IgnoreRequest):
    """The rules of the site could not be read; its pages are tried again later."""


class PatientRobots(RobotsTxtMiddleware):
    """Scrapy's own takes an error for leave to fetch everything."""

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Of the requests that wait for one file, Scrapy lets but two know what it says."""
        await super().robot_parser(request)
        parser = self._parsers[urlparse_cached(request).netloc]
        return None if isinstance(parser, Deferred) else parser

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500:
            raise RobotsOutOfOrder(f"robots.txt answered {response.status}")
        await super()._parse_robots(response, netloc, request)

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        super().process_request_2(rp, request)
        if rp is None:
            raise RobotsOutOfOrder("robots.txt could not be read")
