"""What operators see of the service: logs, metrics, traces; never a key, never a document's words."""
