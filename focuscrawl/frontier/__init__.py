"""What is known of every URL, and which is next."""
