"""From a file, a data frame or an array to series that can be scored, and back to the same rows with scores."""

from paiad.missing import Missing
from paiad.reading.notes import Note
from paiad.reading.read import read
from paiad.reading.table import Table

__all__ = ["Missing", "Note", "Table", "read"]
