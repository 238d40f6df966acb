"""Which link is worth the next fetch: the strategies to choose from, all behind one interface."""
