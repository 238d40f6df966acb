"""Scrapy settings of the project. Our own are declared in ``scrapy_options.py``."""

from focuscrawl import __version__
from focuscrawl.scrapy_options import DEFAULTS

globals().update(DEFAULTS)

BOT_NAME = "focuscrawl"
SPIDER_MODULES = ["focuscrawl.spiders"]
NEWSPIDER_MODULE = "focuscrawl.spiders"
COMMANDS_MODULE = "focuscrawl.commands"
USER_AGENT = f"focuscrawl/{__version__}"

SCHEDULER = "focuscrawl.scheduler.FrontierScheduler"
ITEM_PIPELINES = {
    "focuscrawl.pipelines.stemming.StemmingPipeline": 100,
    "focuscrawl.pipelines.classification.ClassificationPipeline": 200,
    "focuscrawl.pipelines.blocks.BlocksPipeline": 300,
    "focuscrawl.pipelines.duplicates.DuplicatesPipeline": 400,
    "focuscrawl.pipelines.changes.ChangesPipeline": 500,
    "focuscrawl.pipelines.repository.RepositoryPipeline": 600,
    "focuscrawl.pipelines.links.LinksPipeline": 700,
}
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "focuscrawl.middlewares.robots.PatientRobots": 100,
    "focuscrawl.middlewares.patience.Patience": 560,
    "focuscrawl.middlewares.replay.Replay": 950,
}
EXTENSIONS = {
    "focuscrawl.extensions.progress.Progress": 500,
    "focuscrawl.extensions.phases.Phases": 510,
    "focuscrawl.extensions.webhook.Webhook": 520,
    "focuscrawl.extensions.recorder.Recorder": 530,
}
SPIDER_CONTRACTS = {"focuscrawl.scrapy_contracts.SampleContract": 5}

ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS = 16
CONCURRENT_ITEMS = 1  # a page gives one item; Scrapy starts a task per place, for every page
CONCURRENT_REQUESTS_PER_DOMAIN = 4
DOWNLOAD_DELAY = 0.25
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 10 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
RETRY_TIMES = 2
COOKIES_ENABLED = False
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
DOWNLOAD_HANDLERS = {"file": None, "data": None, "ftp": None, "s3": None}
LOG_LEVEL = "INFO"
DEFAULT_DROPITEM_LOG_LEVEL = "DEBUG"
LOGSTATS_INTERVAL = 0
