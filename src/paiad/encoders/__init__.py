"""Encoders: how a patch becomes a vector; one method a file."""
