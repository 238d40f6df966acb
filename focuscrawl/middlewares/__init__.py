"""What happens to requests and answers between the scheduler and the sites."""
