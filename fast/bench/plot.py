#!/usr/bin/env python3
"""Draws the ratios of a run of fast_bench, with goals and floors, as one SVG.

    fast_bench --benchmark_repetitions=3 --benchmark_out=speed.json
    fast/bench/plot.py speed.json > speed.svg
"""
import json
import sys

ROW, LEFT, WIDTH = 18, 260, 420


def medians(runs):
    """The median repetition of every row, or its only one."""
    rows = {}
    for run in runs:
        kind = run.get("aggregate_name", "")
        if kind in ("", "median"):
            name = run["run_name"].removesuffix("/iterations:1/manual_time")
            rows.setdefault(name, {})[kind] = run
    return {name: kinds.get("median", kinds.get("")) for name, kinds in rows.items()}


def svg(rows):
    most = max(max(r["ratio"], r["goal"]) for r in rows.values()) * 1.05
    x = lambda value: LEFT + WIDTH * value / most
    height = ROW * (len(rows) + 2)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" '
           f'height="{height}" font-family="sans-serif" font-size="11">')
    yield f'<text x="{LEFT}" y="12">limit time / kernel time; | floor, : goal</text>'
    for i, (name, r) in enumerate(rows.items()):
        y = ROW * (i + 1) + 4
        reached = r["ratio"] >= r["floor"]
        yield f'<text x="{LEFT - 6}" y="{y + 10}" text-anchor="end">{name}</text>'
        yield (f'<rect x="{LEFT}" y="{y}" width="{x(r["ratio"]) - LEFT:.1f}" '
               f'height="{ROW - 6}" fill="{"#4a7" if reached else "#c75"}"/>')
        for mark, dash in (("floor", ""), ("goal", ' stroke-dasharray="2 2"')):
            yield (f'<line x1="{x(r[mark]):.1f}" x2="{x(r[mark]):.1f}" y1="{y - 2}" '
                   f'y2="{y + ROW - 4}" stroke="#222"{dash}/>')
        end = x(max(r["ratio"], r["goal"])) + 4
        yield f'<text x="{end:.1f}" y="{y + 10}">{r["ratio"]:.2f}</text>'
    yield "</svg>"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: plot.py speed.json > speed.svg")
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    print("\n".join(svg(medians(report["benchmarks"]))))
