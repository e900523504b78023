#!/usr/bin/env bash
# A report as a page, from real runs: a failing, a passing, a partial and a crashing one.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"

judge() { # judge NAME ARGUMENT...
  "$ropeproof" run --tier smoke "${@:2}" --report "$work/$1.json" --html "$work/$1.html" >/dev/null
}
judge good --lib "$plugins/c_example.so"
judge swapped --lib "$plugins/c_example_swapped.so"
judge shard --lib "$plugins/c_example.so" --shard 2/3
variant crashing 's/ropeproof_run/whole_run/' <<'END'
#include <stdio.h>
int32_t ropeproof_run(const ropeproof_problem* p) {
  fputs("</pre></script><img src=x onerror=alert(1)> \x1b[31m \xe2\x80\xae\n", stderr);
  *(volatile int*)8 = 1;
  return whole_run(p);
}
END
judge crashing --lib "$work/crashing.so"

# The report holds all that the page shows.
for name in good swapped shard crashing; do
  expect 0 '' html "$work/$name.json" --out "$work/again.html"
  same "$work/again.html" "$work/$name.html"
done
check "pages are no documents" "$python" - "$work" <<'PY'
import html.parser, pathlib, sys

class Page(html.parser.HTMLParser):
    VOID = {"meta", "br", "img", "path", "rect", "line", "circle"}
    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.said, self.words = [], [], [], ""
        self.feed(text)
        assert not self.open, self.open
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert tag not in ("script", "link", "img", "iframe"), tag
        assert not any(name.startswith("on") or name in ("src", "href") and not value.startswith("#")
                       for name, value in attributes.items()), attributes
        if "id" in attributes:
            self.ids.append(attributes["id"])
        self.said += attributes.get("aria-labelledby", "").split()
        if tag == "svg":
            assert attributes["role"] == "img" and attributes["aria-labelledby"]
        if tag not in self.VOID:
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        assert tag in self.VOID, tag
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        self.words += data

work = pathlib.Path(sys.argv[1])
for name, words in {"good": "CONFORMS  level", "swapped": "DOES NOT CONFORM",
                    "shard": "on shard 2/3", "crashing": "<img src=x onerror=alert(1)>"}.items():
    text = (work / f"{name}.html").read_text()
    page = Page(text)
    assert len(text) < 1_000_000 and "http-equiv" not in text
    assert words in page.words, name
    assert len(set(page.ids)) == len(page.ids) and set(page.said) <= set(page.ids), name
    assert text.count("<caption>") == text.count("<table>"), name
    assert "\x1b" not in text and "\u202e" not in text, name
    # A crash leaves no numbers, pairs of the other layout no frequency: the pictures say why they
    # are not there.
    drawn, absent = text.count("<svg"), text.count("Not drawn: ")
    assert drawn == {"crashing": 0, "swapped": 3}.get(name, 4), (name, drawn)
    assert drawn + absent == 4, (name, absent)
PY
check "the diagnosis has no formula" grep -q 'pairs of the other layout' "$work/swapped.html"
check "the diagnosis has no formula" grep -q '<dt>formula</dt><dd>(R3) half split' "$work/swapped.html"

# Shards that are merged show what a whole run does.
for i in 1 2 3; do judge "$i" --lib "$plugins/c_example.so" --shard $i/3; done
says 0 '^CONFORMS' merge "$work"/{1,2,3}.json --html "$work/merged.html"
same "$work/merged.html" "$work/good.html"

says 0 'wrote' html "$work/swapped.json" --since "$work/good.json" --out "$work/since.html"
check "the page does not say what is broken" grep -q '^BROKEN  [0-9]* checks' "$work/since.html"

# Bad input: one line, nothing written.
expect 2 'cannot be read' html "$work/nowhere.json" --out "$work/new.html"
expect 2 'no report of' html "$work/good.html" --out "$work/new.html"
head -c 2000 "$work/good.json" >"$work/cut.json"
expect 2 'cut short' html "$work/cut.json" --out "$work/new.html"
expect 2 'cannot be written' html "$work/good.json" --out "$work/no/such.html"
expect 2 'what this run reads' html "$work/good.json" --out "$work/good.json"
check "a refused page is written" [ ! -e "$work/new.html" ]
(ulimit -f 1 && exec "$ropeproof" html "$work/good.json" --out "$work/new.html") >/dev/null 2>"$work/err"
check "no word of a page that is too large" grep -q 'File too large' "$work/err"
check "a part of a page is left" [ ! -e "$work/new.html" ]
if [ -w /dev/full ]; then expect 5 'No space left' html "$work/good.json" --out /dev/full; fi
finish
