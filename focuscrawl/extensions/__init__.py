"""What watches a crawl: progress for people, phases for the next run."""
