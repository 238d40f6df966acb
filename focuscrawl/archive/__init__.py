"""Recorded webs: write a crawl as WARC, and answer from WARC files of anybody."""
