"""The tables of the repository. ``docs/schema.md`` says what each column means."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

from focuscrawl.changes.verdict import KINDS

metadata = MetaData()
WideId = BigInteger().with_variant(Integer, "sqlite")


def counter(name: str) -> Column[int]:
    """A column that counts from 0, also in a store that is older than it."""
    return Column(name, Integer, nullable=False, server_default="0")


pages = Table(
    "pages",
    metadata,
    Column("id", WideId, primary_key=True, autoincrement=False),
    Column("url", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("category", Text, comment="the corpus that keeps the page; empty: none"),
    Column("similarity", Float, nullable=False),
    Column("scores", JSON, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("rule", Text, nullable=False),
    Column("relevance", Float, nullable=False, comment="sum over its blocks"),
    Column("anchor", Text, nullable=False),
    Column("digest", Text, nullable=False, comment="of the normalised main text"),
    Column("copy", Text, ForeignKey("copies.digest")),
    Column("alias_of", WideId, ForeignKey("pages.id")),
    Column("words", Integer, nullable=False),
    Column("first_visit", Float, nullable=False),
    Column("last_visit", Float, nullable=False),
    Column("last_change", Float),
    Column("visits", Integer, nullable=False),
    Column("changes", Integer, nullable=False, comment="of the main content"),
    *(counter(kind) for kind in KINDS),
)
Index("pages_by_copy", pages.c.copy)
Index("pages_by_digest", pages.c.digest)
Index("pages_by_category", pages.c.category)

copies = Table(
    "copies",
    metadata,
    Column("digest", Text, primary_key=True, comment="of the bytes as served"),
    Column("body", LargeBinary, nullable=False, comment="zlib"),
    Column("encoding", Text, nullable=False),
    Column("bytes", Integer, nullable=False, comment="before compression"),
    Column("stored", Float, nullable=False),
)

visits = Table(
    "visits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("page", WideId, ForeignKey("pages.id"), nullable=False, index=True),
    Column("crawl", Text, nullable=False, comment="category of the spider"),
    Column("phase", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("status", Integer, nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("change", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("category", Text),
    Column("similarity", Float, nullable=False),
    Column("kinds", Text, nullable=False, server_default="", comment="of change, by comma"),
    Column("weight", Float, nullable=False, server_default="0", comment="relevance of the change"),
    Column("blocks", JSON, nullable=False, server_default="[]", comment="headings that changed"),
    Column("copy", Text, comment="the version that this visit found, while it is kept"),
)
Index("visits_by_copy", visits.c.copy, sqlite_where=visits.c.copy.is_not(None))

parts = Table(
    "parts",
    metadata,
    Column("page", WideId, ForeignKey("pages.id"), primary_key=True),
    Column("path", Text, primary_key=True),
    Column("text", Text, nullable=False),
    Column("counter", Integer, nullable=False),
    Column("changed", Float, nullable=False),
    sqlite_with_rowid=False,
)

sites = Table(
    "sites",
    metadata,
    Column("site", Text, primary_key=True),
    Column("comparisons", Integer, nullable=False),
    sqlite_with_rowid=False,
)

places = Table(
    "places",
    metadata,
    Column("site", Text, primary_key=True),
    Column("place", Text, primary_key=True),
    Column("changes", Integer, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("last_page", WideId, nullable=False),
    sqlite_with_rowid=False,
)

blocks = Table(
    "blocks",
    metadata,
    Column("page", WideId, ForeignKey("pages.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("level", Integer, nullable=False),
    Column("heading", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("main_text", Text, comment="without furniture; empty: the same as text"),
    Column("relevance", Float, nullable=False),
    Column("tables", Integer, nullable=False),
    Column("images", Integer, nullable=False),
    sqlite_with_rowid=False,
)

addresses = Table(
    "addresses",
    metadata,
    Column("id", WideId, primary_key=True, autoincrement=False),
    Column("url", Text, nullable=False),
)

links = Table(
    "links",
    metadata,
    Column("source", WideId, ForeignKey("pages.id"), primary_key=True),
    Column("target", WideId, ForeignKey("addresses.id"), primary_key=True),
    Column("anchor", Text, nullable=False),
    Column("block", Integer, nullable=False),
    sqlite_with_rowid=False,
)

terms = Table(
    "terms",
    metadata,
    Column("category", Text, primary_key=True),
    Column("stem", Text, primary_key=True),
    Column("weight", Float, nullable=False),
    Column("count", Integer, nullable=False),
    Column("phase", Integer, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

near_misses = Table(
    "near_misses",
    metadata,
    Column("page", WideId, ForeignKey("pages.id"), primary_key=True),
    Column("category", Text, nullable=False, index=True),
    Column("phase", Integer, nullable=False),
    Column("counts", JSON, nullable=False),
)

phases = Table(
    "phases",
    metadata,
    Column("crawl", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("started", Float, nullable=False),
    Column("ended", Float),
    Column("reason", Text),
    Column("thresholds", JSON, nullable=False),
    Column("fetched", Integer, nullable=False),
    Column("kept", Integer, nullable=False),
    sqlite_with_rowid=False,
)

LINK_LIST = """
CREATE VIEW IF NOT EXISTS link_list AS
SELECT pages.url AS source, addresses.url AS target, links.anchor, links.block
FROM links JOIN pages ON pages.id = links.source JOIN addresses ON addresses.id = links.target
"""
