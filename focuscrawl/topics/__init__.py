"""Topics as data: a category is a small TOML file."""
