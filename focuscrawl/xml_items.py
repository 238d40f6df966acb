"""Safe reading of XML from strangers, item by item: what feeds and sitemaps share.

Such a file may be broken, huge or hostile. It is unpacked, decoded and parsed in small
pieces without building a tree, up to fixed limits, and what could be read before a
fault is kept. References are taken out of the text before the parser sees it, for two
reasons: no entity is ever looked up or expanded, and libxml2, when it recovers, drops
every ``&amp;`` that follows the first fault, which would spoil URLs without a word.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain

from lxml import etree
from w3lib.encoding import read_bom, resolve_encoding

LONGEST_FIELD = 4_096
LONGEST_TAG = 256 * 1024
LONGEST_PROLOG = LONGEST_TAG
DEEPEST_TAG = 256
_PIECE = 64 * 1024
_GZIP = b"\x1f\x8b"
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,100}?\bencoding\s*=\s*["']([\w.:-]{1,40})["']""")
_TEXT_CODEC = re.compile(r"ascii|cp\d+|iso8859-\d+|koi8-[ru]|gb18030|big5\w*|euc[_-]\w\w")
_CDATA_MARK = re.compile(r"(<!\[CDATA\[|\]\]>)")
_BARE_AMPERSAND = re.compile(r"&(?!#[0-9]{1,7};|#x[0-9A-Fa-f]{1,6};)")
_STRAY_LESS = re.compile(r"<(?!/?[A-Za-z_:]|!--|![A-Z]|\?)")
_NUMBERS = {
    "&amp;": "&#38;", "&lt;": "&#60;", "&gt;": "&#62;", "&quot;": "&#34;", "&apos;": "&#39;",
}  # fmt: skip


class Unpacked:
    """The bytes of a file in small pieces, unzipped where need be, never more than ``limit``."""

    def __init__(self, body: bytes, limit: int) -> None:
        self.problem = ""
        self._body = body
        self._limit = limit

    def __iter__(self) -> Iterator[bytes]:
        left = self._limit
        for piece in self._unzipped() if self._body[:2] == _GZIP else self._slices():
            if len(piece) > left:
                self.problem = f"larger than {self._limit >> 20} MB unpacked"
                yield piece[:left]
                return
            left -= len(piece)
            yield piece

    def _slices(self) -> Iterator[bytes]:
        return (self._body[at : at + _PIECE] for at in range(0, len(self._body), _PIECE))

    def _unzipped(self) -> Iterator[bytes]:
        """A gzip file may hold several members; what follows the last is padding."""
        member = zlib.decompressobj(wbits=31)
        for packed in self._slices():
            more = True
            while more:
                if member.eof:
                    if packed[:1] != _GZIP[:1]:
                        return
                    member = zlib.decompressobj(wbits=31)
                try:
                    piece = member.decompress(packed, _PIECE)
                except zlib.error:
                    self.problem = "damaged gzip"
                    return
                packed = member.unused_data if member.eof else member.unconsumed_tail
                more = bool(packed) or (len(piece) == _PIECE and not member.eof)
                if piece:
                    yield piece
        if not member.eof:
            self.problem = "gzip cut short"


def decoded(pieces: Iterable[bytes]) -> Iterator[str]:
    """The text of a file from its first visible character on."""
    pieces = iter(pieces)
    head = next(pieces, b"")
    encoding, mark = _encoding(head)
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    texts = (decoder.decode(piece) for piece in chain((head[mark:],), pieces))
    for text in texts:
        if visible := text.lstrip():
            yield visible
            break
    yield from texts


def _encoding(head: bytes) -> tuple[str, int]:
    """Encoding and length of the byte order mark; anything doubtful is read as UTF-8."""
    marked, bom = read_bom(head)
    if marked and bom:
        return marked, len(bom)
    if head[:2] in (b"<\0", b"\0<"):
        return ("utf-16-le" if head[:1] == b"<" else "utf-16-be"), 0
    declared = _DECLARED.match(head)
    codec = resolve_encoding(declared[1].decode("ascii", "replace")) if declared else None
    return (codec if codec and _TEXT_CODEC.fullmatch(codec) else "utf-8"), 0


class ItemTarget:
    """Hears a parser's events and hands over the fields of one item after another."""

    def __init__(self, names: frozenset[str]) -> None:
        self.root, self.depth = "", 0
        self.items, self.item_depth = 0, 0
        self.fields: dict[str, str] = {}
        self._names = names
        self._item = ""
        self._field, self._field_depth = "", 0
        self._text: list[str] = []

    def field_of(self, tag: str, name: str, attributes: Mapping[str, str]) -> str:
        """The field that an element inside an item fills, or an empty name."""
        raise NotImplementedError

    def take(self, item: str, fields: Mapping[str, str]) -> None:
        """Use an item that was read."""
        raise NotImplementedError

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = tag.rpartition("}")[2].lower()
        if not self.depth and not self.root:
            self.root = name
        elif name in self._names:
            self.finish()
            self._item, self.item_depth = name, self.depth
        elif self._item and not self._field:
            field = self.field_of(tag, name, attributes)
            if field and field not in self.fields:
                self._field, self._field_depth, self._text = field, self.depth, []
        self.depth += 1

    def data(self, text: str) -> None:
        if self._field and len(self._text) < LONGEST_FIELD:
            self._text.append(text[:LONGEST_FIELD])

    def end(self, tag: str) -> None:
        self.depth -= 1
        if self._field:
            if self.depth == self._field_depth:
                self.fields[self._field] = "".join(self._text)[:LONGEST_FIELD].strip()
                self._field = ""
        elif self._item and self.depth == self.item_depth:
            self.finish()

    def finish(self) -> None:
        """Hand over the open item, also when its end tag is missing."""
        if self._item:
            self.items += 1
            self.take(self._item, self.fields)
        self._item, self._field, self.fields = "", "", {}

    def close(self) -> None:
        """The parser asks for it; what was heard stays."""


def read_items(pieces: Iterable[str], target: ItemTarget) -> str:
    """Let ``target`` hear a file as far as it can be read; the answer names the first fault.

    The parser bounds the depth of trees only, and nothing bounds the declarations before
    the root, so both are watched here.
    """
    parser = etree.XMLParser(
        target=target, encoding="utf-8", recover=True,
        resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False,
    )  # fmt: skip
    with suppress(etree.XMLSyntaxError):
        prolog = 0
        for text in _without_references(pieces):
            parser.feed(text.encode("utf-8", "replace"))
            prolog += 0 if target.root else len(text)
            if target.depth > DEEPEST_TAG or prolog > LONGEST_PROLOG:
                break
        parser.close()
    target.finish()
    for fault in parser.feed_error_log:
        if fault.domain != etree.ErrorDomains.NAMESPACE:
            return f"broken XML in line {fault.line}"
    return ""


def _without_references(pieces: Iterable[str]) -> Iterator[str]:
    """The same text with characters by number in place of names and strays, outside of CDATA.

    It is cut before a ``<``, where nothing can be torn. Reading ends where none comes for
    too long: no tag holds one, and a tag of a million attributes would fill the memory.
    """
    rest, in_cdata = "", False
    for piece in chain(pieces, ("<",)):
        whole, mark, rest = (rest + piece).rpartition("<")
        rest = mark + rest
        parts = _CDATA_MARK.split(whole)
        for number, part in enumerate(parts):
            if number % 2:
                in_cdata = part[0] == "<"
            elif not in_cdata:
                parts[number] = _by_number(part)
        yield "".join(parts)
        if len(rest) > LONGEST_TAG:
            return


def _by_number(text: str) -> str:
    for name, number in _NUMBERS.items():
        text = text.replace(name, number)
    return _STRAY_LESS.sub("&#60;", _BARE_AMPERSAND.sub("&#38;", text))
