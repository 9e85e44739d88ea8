#!/usr/bin/env python3
"""Draws what measure.py has measured: plot.py JSON SVG. Medians, on logarithmic scales where they span decades."""

import json
import math
import pathlib
import sys

WIDTH, HEIGHT, MARGIN, GAP = 300, 240, 60, 30
COLOURS = {"ours": "#0b6e4f", "c10d": "#c8553d", "python": "#3d5a80", "ours joining": "#0b6e4f",
           "ours handshake": "#6aa84f", "c10d joining": "#c8553d"}
NAMES = {"ours": "torch_dist_init", "c10d": "c10d by hand", "python": "Python", "ours joining": "joining",
         "ours handshake": "handshake", "c10d joining": "joining, c10d by hand"}


class Scale:
    """From values to places between `low` and `high` on the paper."""

    def __init__(self, values, low, high, logarithmic):
        self.of = math.log10 if logarithmic else float
        self.low, self.high = low, high
        start = min(values) if logarithmic else 0
        if logarithmic:
            self.first, self.last = math.floor(math.log10(start)), math.ceil(math.log10(max(values)))
            self.ticks = [10.0 ** exponent for exponent in range(self.first, self.last + 1)]
        else:
            self.first, self.last = 0.0, max(values)
            self.ticks = [self.last * part / 4 for part in range(5)]

    def __call__(self, value):
        return self.low + (self.of(value) - self.first) / (self.last - self.first) * (self.high - self.low)


def text(x, y, content, anchor="middle", size=11, turn=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{turn}>{content}</text>'


def panel(part, left, title, x_label, logarithmic):
    """One diagram; its curves are the contenders, medians over what was varied."""
    contenders = list(next(iter(part.values())))
    curves = {name: [(float(key), runs[name]["median"]) for key, runs in part.items()] for name in contenders}
    points = [point for curve in curves.values() for point in curve]
    top, bottom, right = MARGIN, MARGIN + HEIGHT, left + WIDTH
    places = sorted({point[0] for point in points})
    x = Scale(places, left + 10, right - 10, logarithmic)
    if logarithmic:
        x.first, x.last = math.log10(places[0]), math.log10(places[-1])
    y = Scale([point[1] for point in points], bottom, top, logarithmic)
    lines = [text(left + WIDTH / 2, top - 32, title, size=13), text(left + WIDTH / 2, bottom + 34, x_label)]
    for tick in y.ticks:
        lines.append(f'<path d="M{left} {y(tick):.1f}H{right}" stroke="#ddd"/>')
        lines.append(text(left - 6, y(tick) + 4, f"{tick:g}" if logarithmic else f"{tick:.2f}", "end", 10))
    for place in places:
        lines.append(text(x(place), bottom + 16, f"{place:g}", size=10))
    for number, (name, curve) in enumerate(curves.items()):
        path = "L".join(f"{x(a):.1f} {y(b):.1f}" for a, b in curve)
        lines.append(f'<path d="M{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        lines += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{COLOURS[name]}"/>' for a, b in curve]
        lines.append(f'<path d="M{left + 95 * number} {top - 14}h14" stroke="{COLOURS[name]}" stroke-width="3"/>')
        lines.append(text(left + 95 * number + 17, top - 10, NAMES[name], "start", 9))
    return lines


def main():
    result = json.loads(pathlib.Path(sys.argv[1]).read_text())
    step = WIDTH + MARGIN + GAP
    lines = panel(result["jobs"], MARGIN, "Whole jobs, seconds", "ranks", True)
    lines += panel(result["skew"], MARGIN + step, "Ready after rank 0's start, seconds", "rank 1 starts earlier by, s", False)
    lines += panel(result["clients"], MARGIN + 2 * step, "Clients at one store, seconds", "clients", True)
    width, height = MARGIN + 3 * step, HEIGHT + 2 * MARGIN
    pathlib.Path(sys.argv[2]).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">'
        f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(lines) + "\n</svg>\n")


if __name__ == "__main__":
    main()
