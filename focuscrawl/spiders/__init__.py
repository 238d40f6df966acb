"""One spider per category; all of them are the same spider over another file."""
