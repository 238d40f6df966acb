"""The stations that a page passes, in this order: stemming, classification, blocks,
duplicates, changes, repository, links."""
