"""Detectors: one method a file."""
