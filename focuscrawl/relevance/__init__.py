"""How near a page is to each topic, and whether that is near enough to keep it."""
