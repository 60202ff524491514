"""What was found, for people and for programs: a page to look at, a picture, tables."""

from paiad.report.files import Written, write_results
from paiad.report.page import page
from paiad.report.picture import write_picture

__all__ = ["Written", "page", "write_picture", "write_results"]
