"""The index names every page and every public name, and links lead somewhere."""

import re
from pathlib import Path

import pytest

import paiad

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
WRITTEN = [
    *PAGES,
    *(DOCS / "research").glob("*.md"),
    *(DOCS.parent / page for page in ("README.md", "CONTRIBUTING.md")),
]


def test_the_index_names_every_page_and_every_public_name():
    index = (DOCS / "index.md").read_text()
    assert [page.name for page in PAGES if page.name != "index.md" and f"]({page.name})" not in index] == []
    assert [name for name in paiad.__all__ if name != "__version__" and f"`{name}`" not in index] == []


def test_the_design_gives_a_reason_for_every_dependency_and_extra():
    tomllib = pytest.importorskip("tomllib")  # from Python 3.11 on
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"]
    names = [re.match(r"[\w-]+", one)[0] for one in project["dependencies"]]
    design = (DOCS / "design.md").read_text()
    reasons = re.findall(r"^\| ([^|]+) \| \d+ \|", design, flags=re.MULTILINE)
    assert {*names} <= {word for reason in reasons for word in re.split(r"[ ,+]+", reason)}
    assert [extra for extra in project["optional-dependencies"] if f"`{extra}`" not in design] == []


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_links_between_files_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []
