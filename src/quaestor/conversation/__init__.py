"""What has been asked and answered so far."""
