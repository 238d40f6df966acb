"""Crawls measured against what is known to be true."""
