"""What is known of every page: its copies, visits, blocks, links, and what was learned."""
