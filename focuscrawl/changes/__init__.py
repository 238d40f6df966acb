"""What changed between two versions of a page, where, and whether it matters."""
