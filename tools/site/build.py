"""Builds the site of this repository: documents, rules, scoreboard and gallery.

  build.py ROPEPROOF OUT       writes it below OUT/site, for any web server, or to be opened from
                               the disk; nothing of it comes from the network

MkDocs makes the pages (`pip install -r tools/site/requirements.txt`) of the documents as they
stand; what they link is copied beside them, and ROPEPROOF draws the gallery. Every link and every
anchor must be there, and no page may load anything from elsewhere; that this is noticed is tried
first. Exit status 77: there is no MkDocs.
"""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NAV = {
    "Start": "README.md",
    "Judge your kernel": "conformance/JUDGE.md",
    "Rules": "conformance/SPECIFICATION.md",
    "Scoreboard": "conformance/engines/SCOREBOARD.md",
    "Gallery": "gallery.md",
    "Documents": "documents.md",
}
GALLERY = """# Gallery

[All spectra and encodings on one page](gallery.html), as `ropeproof gallery` draws them: the
wavelength of each pair of every model that the suite knows, and other encodings of positions beside it.

![The scoreboard's count](conformance/engines/badge.svg)
[The scoreboard in colour](conformance/engines/scoreboard.html) is a page of its own, too.
"""
CONFIG = """\
site_name: ropeproof
use_directory_urls: false
strict: true
theme: {name: mkdocs, color_mode: auto, user_color_mode_toggle: true, highlightjs: false}
extra_css: [site.css]
plugins: [search]
validation: {links: {anchors: warn, unrecognized_links: warn}}
markdown_extensions:
  - sane_lists
  - toc: {permalink: true, slugify: !!python/name:build.slug }
"""
CSS = """\
div[role="main"] { overflow-wrap: anywhere; }
pre { overflow-x: auto; overflow-wrap: normal; }
td, th { vertical-align: top; }
div[role="main"] table { display: block; overflow-x: auto; }
td, th { overflow-wrap: normal; }
:not(pre) > code { white-space: normal; overflow-wrap: anywhere; }
"""
LINK = re.compile(r"(?<!!)(\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")


def slug(title, separator):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", separator)


def title_of(text, name):
    found = re.search(r"^# (.+)$", text, re.M)
    return found[1].replace("`", "") if found else name


def copy_documents(docs):
    """The documents, with links of folders to their READMEs, and what they link."""
    names = subprocess.run(["git", "-C", str(SOURCE), "ls-files", "-z", "--cached", "--others",
                            "--exclude-standard"], check=True, capture_output=True,
                           text=True).stdout.split("\0")
    documents = sorted(name for name in names if name.endswith(".md") and name[0] != ".")
    linked, titles = {"conformance/engines/badge.svg"}, {}
    for name in documents:
        folder = os.path.dirname(name)

        def whole(match, folder=folder):
            before, target, after = match.groups()
            if re.match(r"<?[a-z]+:", target):
                return match[0]
            path = os.path.normpath(os.path.join(folder, target))
            if (SOURCE / path).is_dir():
                if not (SOURCE / path / "README.md").exists():
                    return match[0].split("](")[0].strip("[")  # nothing to show
                target = target.rstrip("/") + "/README.md"
            elif (not path.endswith(".md") or path[0] == ".") and (SOURCE / path).exists():
                linked.add(path)
                if path[0] == ".":  # MkDocs leaves out what begins with a dot
                    target = os.path.relpath(path.lstrip("."), folder or ".")
            return before + target + after

        text = (SOURCE / name).read_text()
        titles[name] = title_of(text, name)
        out = docs / name
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(LINK.sub(whole, text))
    for name in sorted(linked):
        out = docs / name.lstrip(".")
        out.parent.mkdir(parents=True, exist_ok=True)
        # A browser shows text; what it would run or save is shown, too.
        shutil.copyfile(SOURCE / name, out)
    return titles


class Page(html.parser.HTMLParser):
    """What a page links, loads and can be linked by."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.ids |= {a[key] for key in ("id", "name") if a.get(key)}
        if tag == "a" and a.get("href"):
            self.links.append(a["href"])
        elif tag == "link" and a.get("href") and a.get("rel") != "canonical":
            self.loads.append(a["href"])
        elif tag != "a" and a.get("src"):
            self.loads.append(a["src"])


def faults_of(site):
    pages = {path: Page(path.read_text(errors="replace")) for path in site.rglob("*.html")}
    faults = []
    for path, page in sorted(pages.items()):
        if path.name == "404.html":  # served for any address, so its links begin with /
            continue
        where = path.relative_to(site)
        for link in page.links + page.loads:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                if link in page.loads and url.scheme != "data":
                    faults.append(f"{where}: loads {link}")
                continue
            target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            if not target.is_file():
                faults.append(f"{where}: {link} is not there")
            elif url.fragment and target in pages and url.fragment not in pages[target].ids:
                faults.append(f"{where}: {link} has no such anchor")
    for sheet in site.rglob("*.css"):
        faults += [f"{sheet.relative_to(site)}: loads {url}" for url in
                   re.findall(r"url\([\"']?(https?:[^)]*)", sheet.read_text(errors="replace"))]
    return faults


def build(program, out):
    docs, site = out / "docs", out / "site"
    for folder in (docs, site):
        shutil.rmtree(folder, ignore_errors=True)
    docs.mkdir(parents=True)
    titles = copy_documents(docs)
    subprocess.run([program, "gallery", "--out", str(docs / "gallery.html")], check=True,
                   stdout=subprocess.DEVNULL)
    (docs / "gallery.md").write_text(GALLERY)
    (docs / "documents.md").write_text("# Documents\n\n" + "".join(
        f"- [{title}]({name}) `{name}`\n" for name, title in sorted(titles.items())))
    (docs / "site.css").write_text(CSS)
    nav = "".join(f"  - {title}: {name}\n" for title, name in NAV.items())
    (out / "mkdocs.yml").write_text(
        f"{CONFIG}nav:\n{nav}not_in_nav: |\n  *\ndocs_dir: {docs}\nsite_dir: {site}\n")
    ran = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "-f",
                          str(out / "mkdocs.yml")], text=True, capture_output=True,
                         env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent)})
    if ran.returncode != 0:
        return [line for line in (ran.stdout + ran.stderr).split("\n") if line.strip()]
    return faults_of(site)


def self_test():
    with tempfile.TemporaryDirectory() as name:
        site = pathlib.Path(name).resolve()
        (site / "good.html").write_text('<h1 id="a">x</h1><a href="good.html#a">y</a>')
        assert faults_of(site) == []
        for text in ('<a href="nowhere.html">', '<a href="good.html#b">',
                     '<script src="https://example.org/x.js"></script>',
                     '<link rel="stylesheet" href="//example.org/x.css">', '<img src="x.png">'):
            (site / "bad.html").write_text(text)
            assert len(faults_of(site)) == 1, text


def main():
    self_test()
    program, out = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if subprocess.run([sys.executable, "-c", "import mkdocs"], capture_output=True).returncode:
        print("site: no MkDocs, skipped: pip install -r tools/site/requirements.txt")
        return 77
    faults = build(program, out)
    print("\n".join(faults) or f"site: {len(list(out.rglob('site/**/*.html')))} pages in {out}/site")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
