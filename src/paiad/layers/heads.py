"""Attention in several heads shares its features out among them."""


def headless(features: int, heads: int) -> str:
    """Why so many features cannot be shared out among so many heads; "" when they can.

    >>> headless(64, 7)
    'features (64) must be a multiple of heads (7)'
    """
    return f"features ({features}) must be a multiple of heads ({heads})" if features % heads else ""
