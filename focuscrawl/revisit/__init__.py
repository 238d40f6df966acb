"""When to fetch a known page again: policies under a budget, and webs to compare them on."""
