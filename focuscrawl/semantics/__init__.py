"""How near words are in meaning, by WordNet, and pages scored by it."""
