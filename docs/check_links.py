"""Check that links and pictures of the built site are there: ``python check_links.py FOLDER``."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page refers to, and what in it can be referred to.

    Parameters
    ----------
    text : str
        HTML.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what a tag refers to, and its name."""
        for name, value in attrs:
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def main(folder: Path) -> int:
    """Print each link to nowhere, and return how many there are."""
    paths = [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in paths}
    links = lost = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            links += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            if not target.is_file() or (target in pages and anchor not in pages[target].anchors):
                lost += 1
                print(f"{path.relative_to(folder)}: {link} leads nowhere")
    print(f"{len(pages)} pages, {links} links within the site, {lost} of them lead nowhere")
    return lost


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]).resolve())))
