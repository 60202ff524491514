"""Names from the data as they can be shown: on one line, no longer than fits, without what would steer a terminal."""

LONGEST = 48


def shown(name: str, longest: int = LONGEST) -> str:
    """The name; what cannot be printed is marked, and a long one loses its middle, as ends tell names apart.

    >>> shown("cpu\\x1b[31m"), shown("rack-17.example.com/load", longest=15)
    ('cpu�[31m', 'rack-17…om/load')
    """
    plain = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    if len(plain) <= longest:
        return plain
    half = (longest - 1) // 2
    return f"{plain[: longest - 1 - half]}…{plain[-half:]}"
