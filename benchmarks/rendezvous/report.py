"""What measure.py has found, as a plot (SVG) and as tables (Markdown)."""

import math
import re

COLOURS = {"ours": "#0b62c4", "ours joining": "#0b62c4", "ours handshake": "#6aa9ee", "c10d": "#d9730d",
           "c10d joining": "#d9730d", "python": "#6b6b6b"}
NAMES = {"ours": "torch_dist_init", "ours joining": "joining", "ours handshake": "handshake", "c10d": "plain c10d",
         "c10d joining": "plain c10d: joining", "python": "Python"}
PANEL_WIDTH, PANEL_HEIGHT, LEFT, TOP, GAP = 270, 230, 50, 40, 70


def scale(values, length, logarithmic):
    """A function from a value to its place, and the values to be marked."""
    low, high = min(values), max(values)
    if logarithmic:
        place = lambda value: length * math.log(value / low) / math.log(high / low)
        marks = [digit * 10.0**power for power in range(-5, 5) for digit in (1, 2, 5)]
    else:
        step = 10.0 ** math.floor(math.log10(high))
        step = next(step * part for part in (0.25, 0.5, 1) if high / (step * part) <= 8)
        place = lambda value: length * (value - low) / (high - low)
        marks = [step * i for i in range(9)]
    return place, [mark for mark in marks if low <= mark <= high]


def panel(left, title, x_label, points, logarithmic, x_marks):
    """Lines through the medians, and a dot for each run. points: contender -> [(x, median, runs)]."""
    every_y = [run for line in points.values() for _, _, runs in line for run in runs]
    place_x, _ = scale(x_marks, PANEL_WIDTH, logarithmic)
    # With room for the names above.
    bounds = [min(every_y) / 1.3, max(every_y) * 3] if logarithmic else [0, max(every_y) * 1.4]
    place_y, y_marks = scale(bounds, PANEL_HEIGHT, logarithmic)
    x_of = lambda value: left + place_x(value)
    y_of = lambda value: TOP + PANEL_HEIGHT - place_y(value)
    if len(y_marks) > 8:
        y_marks = [mark for mark in y_marks if f"{mark:e}".startswith("1")]
    end = left + PANEL_WIDTH
    parts = [f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{title}</text>',
             f'<text x="{left + PANEL_WIDTH / 2}" y="{TOP + PANEL_HEIGHT + 36}" text-anchor="middle">{x_label}</text>']
    for mark in y_marks:
        parts += [f'<path d="M{left} {y_of(mark):.1f}H{end}" stroke="#e4e4e4"/>',
                  f'<text x="{left - 6}" y="{y_of(mark) + 4:.1f}" text-anchor="end">{mark:g} s</text>']
    for mark in x_marks:
        parts.append(f'<text x="{x_of(mark):.1f}" y="{TOP + PANEL_HEIGHT + 18}" text-anchor="middle">{mark:g}</text>')
    for row, (contender, line) in enumerate(points.items()):
        colour = COLOURS[contender]
        path = "L".join(f"{x_of(x):.1f} {y_of(median):.1f}" for x, median, _ in line)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(run):.1f}" r="2" fill="{colour}" fill-opacity="0.4"/>'
                  for x, _, runs in line for run in runs]
        parts.append(f'<text x="{left + 10}" y="{TOP + 14 + 16 * row}" fill="{colour}">{NAMES[contender]}</text>')
    return parts


def points_of(part):
    points = {}
    for key, contenders in part.items():
        for contender, found in contenders.items():
            points.setdefault(contender, []).append((float(key), found["median"], found["runs"]))
    return points


def svg(result):
    panels = [("jobs", "A whole job, from start to exit", "ranks", True),
              ("skew", "Ready after rank 0's start", "seconds by which rank 1 starts before", False),
              ("clients", "Many clients of one store", "clients", True)]
    parts = []
    for i, (part, title, x_label, logarithmic) in enumerate(panels):
        x_marks = [float(key) for key in result[part]]
        parts += panel(LEFT + i * (PANEL_WIDTH + GAP), title, x_label, points_of(result[part]), logarithmic, x_marks)
    width, height = len(panels) * (PANEL_WIDTH + GAP), TOP + PANEL_HEIGHT + 50
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="12"><rect width="{width}" height="{height}" fill="white"/>')
    return "\n".join([head, *parts, "</svg>\n"])


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def seconds(value):
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def markdown(result):
    machine = result["machine"]
    jobs, skew, clients = (
        {key: {name: found["median"] for name, found in contenders.items()} for key, contenders in result[part].items()}
        for part in ("jobs", "skew", "clients"))
    return "\n\n".join([
        f"Measured on {result['date']}: {machine['cores']} cores ({machine['processor']}), {machine['memory_gib']} GiB, "
        f"{machine['system']}, LibTorch {result['libtorch']}, Python {result['python']}; medians of {result['rounds']} "
        f"rounds, in seconds.",
        "**A whole job**: starting the processes, joining on gloo, one all_reduce, exit.",
        table(["ranks", "torch_dist_init", "plain c10d", "Python", "Python's time, times ours"],
              [[key, seconds(row["ours"]), seconds(row["c10d"]), seconds(row["python"]),
                f"{row['python'] / row['ours']:.1f}"] for key, row in jobs.items()]),
        "**Ready after rank 0's start**, when rank 1 starts before it. Median, and the worst of the runs.",
        table(["seconds before", "torch_dist_init", "plain c10d"],
              [[f"{float(key):g}", *(f"{seconds(row[name]['median'])}, {seconds(max(row[name]['runs']))}"
                                     for name in ("ours", "c10d"))] for key, row in result["skew"].items()]),
        "**Many clients of one store**, as threads of one process: until all have joined; until each rank is known.",
        table(["clients", "joining", "handshake", "plain c10d: joining"],
              [[key, *(f"{row[name]:.3f}" for name in ("ours joining", "ours handshake", "c10d joining"))]
               for key, row in clients.items()]),
        table(["bar", "measured", ""],
              [[f"{bar['what']}: {bar['bar']}", f"{bar['value']:g}", "met" if bar["met"] else "missed"]
               for bar in result["bars"]]),
    ])


def fill(page, result):
    """Replaces what stands between the page's marks."""
    text = page.read_text()
    begin, end = "<!-- rendezvous: written by measure.py -->\n", "<!-- end of rendezvous -->"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    if not re.search(pattern, text, re.DOTALL):
        raise SystemExit(f"{page} has no line {begin}")
    page.write_text(re.sub(pattern, lambda _: f"{begin}\n{markdown(result)}\n\n{end}", text, flags=re.DOTALL))
