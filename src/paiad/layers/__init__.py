"""Torch blocks that several nets share."""
