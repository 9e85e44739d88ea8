#!/usr/bin/env python3
"""Measures how quickly ranks find each other, on this host; run.sh builds what it needs and calls it.

jobs     whole jobs: from the start of the first process until the last one has ended
skew     rank 1 starts before rank 0: from the start of rank 0 until both are ready
clients  many ranks as threads at one store: until all have joined, and then until all are known

The contenders take turns in every round, so that the ratios are of one run. All figures are seconds; medians count.
"""

import argparse
import contextlib
import datetime
import json
import math
import os
import pathlib
import platform
import re
import socket
import statistics
import subprocess
import sys
import time

import report

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parent.parent / "docs"
DEADLINE = 300


def free_port():
    """Below the ports that the system gives to clients."""
    for port in range(20000 + os.getpid() % 1000, 32000):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise SystemExit("no free port")


class Process:
    """A child, killed when the block ends."""

    def __init__(self, command, variables=None):
        environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.started = time.monotonic()
        self.child = subprocess.Popen(command, env={**environment, **(variables or {})}, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.child.kill()
        self.child.wait()
        self.child.stdout.close()

    def output(self):
        """All that it says, until its end, which must be a good one."""
        text, _ = self.child.communicate(timeout=DEADLINE)
        if self.child.returncode != 0:
            raise SystemExit(f"{self.child.args} ended with status {self.child.returncode}:\n{text}")
        return text


def run_job(command, world_size, skew=0.0):
    """Starts rank 0, and the others `skew` seconds before it. Returns the seconds from the first start until the last
    end, and from rank 0's start until all were ready; and LibTorch's version."""
    variables = {"WORLD_SIZE": str(world_size), "LOCAL_WORLD_SIZE": str(world_size), "MASTER_ADDR": "127.0.0.1",
                 "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    # Without skew rank 0 is the first, as launchers start it.
    order = [*range(1, world_size), 0] if skew else range(world_size)
    ranks = {}
    with contextlib.ExitStack() as stack:
        for rank in order:
            if rank == 0:
                time.sleep(skew)
            own = {**variables, "RANK": str(rank), "LOCAL_RANK": str(rank)}
            ranks[rank] = stack.enter_context(Process(command, own))
        outputs = [ranks[rank].output() for rank in order]
        ended = time.monotonic()
    said = [re.search(r"LibTorch (\S+) ready (\S+)", output).groups() for output in outputs]
    whole = ended - min(process.started for process in ranks.values())
    return whole, max(float(moment) for _, moment in said) - ranks[0].started, said[0][0]


def run_clients(program, action, count):
    """Returns what the clients' process tells: step -> seconds."""
    port = str(free_port())
    with Process([program, "serve", str(count), port]) as server:
        if "serving" not in server.child.stdout.readline():
            raise SystemExit("the server of the store did not start")
        with Process([program, action, str(count), port]) as clients:
            told = dict(line.split() for line in clients.output().splitlines())
    if told.pop("missing", "0") != "0":
        raise SystemExit(f"ranks are missing: {told}")
    return {step: float(seconds) for step, seconds in told.items()}


class Series:
    """Runs by what was varied and by contender."""

    def __init__(self):
        self.runs = {}

    def add(self, key, contender, seconds):
        self.runs.setdefault(str(key), {}).setdefault(contender, []).append(round(seconds, 4))

    def summary(self):
        return {key: {contender: {"median": round(statistics.median(runs), 4), "runs": runs}
                      for contender, runs in contenders.items()} for key, contenders in self.runs.items()}


def measure_jobs(commands, sizes, rounds):
    series = Series()
    for turn in range(rounds):
        for size in sizes:
            # Both ways through, so that a drift of the machine meets both alike; Python, the slowest, once.
            pair = ["ours", "c10d"] if turn % 2 == 0 else ["c10d", "ours"]
            for contender in [*pair, "python", *reversed(pair)]:
                seconds, _, version = run_job(commands[contender], size)
                series.add(size, contender, seconds)
                print(f"jobs: {size} ranks, {contender}: {seconds:.3f} s", flush=True)
    return series.summary(), version


def measure_skew(commands, skews, rounds):
    series = Series()
    for turn in range(rounds):
        for skew in skews:
            for contender in ["ours", "c10d"] if turn % 2 == 0 else ["c10d", "ours"]:
                _, seconds, _ = run_job(commands[contender], 2, skew)
                series.add(skew, contender, seconds)
                print(f"skew: {skew} s, {contender}: {seconds:.3f} s", flush=True)
    return series.summary()


def measure_clients(program, counts, rounds):
    series = Series()
    for turn in range(rounds):
        for count in counts:
            for action in ["join", "join_c10d"] if turn % 2 == 0 else ["join_c10d", "join"]:
                for step, seconds in run_clients(program, action, count).items():
                    contender = "c10d joining" if action == "join_c10d" else f"ours {step}"
                    series.add(count, contender, seconds)
                    print(f"clients: {count}, {contender}: {seconds:.4f} s", flush=True)
    return series.summary()


def machine():
    with open("/proc/cpuinfo") as file:
        name = re.search(r"model name\s*: (.*)", file.read())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {"processor": name.group(1) if name else platform.machine(), "cores": os.cpu_count(),
            "memory_gib": round(memory), "system": f"{platform.system()} {platform.release()}"}


def growth(part, contenders):
    """The exponent with which the sum of the contenders' times grows: 1 is linear."""
    points = [(math.log(int(key)), math.log(sum(found[name]["median"] for name in contenders)))
              for key, found in part.items()]
    return statistics.linear_regression(*zip(*points)).slope


def judge(result):
    """The bars that this project has set itself."""
    def median(part, key, contender):
        return result[part][str(key)][contender]["median"]

    bars = [
        ("4 ranks: Python's time, times ours",
         median("jobs", 4, "python") / median("jobs", 4, "ours"), "at least", 6),
        ("4 ranks: our time, as part of plain c10d's",
         median("jobs", 4, "ours") / median("jobs", 4, "c10d"), "at most", 1.05),
        ("2 s skew: ready later than without skew, in seconds",
         median("skew", 2.0, "ours") - median("skew", 0.0, "ours"), "at most", 0.1),
        # 1 is linear; the rest is what runs differ by.
        ("clients: the power of their number with which joining and handshake grow",
         growth(result["clients"], ["ours joining", "ours handshake"]), "at most", 1.05),
    ]
    return [{"what": what, "bar": f"{relation} {limit}", "value": round(value, 3),
             "met": value >= limit if relation == "at least" else value <= limit}
            for what, value, relation, limit in bars]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="the folder of the built programs")
    parser.add_argument("--output", type=pathlib.Path, help="the JSON file; the plot comes beside it. Without this, "
                        "those in docs/ are written, and the tables there")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 4, 8, 16, 32], help="ranks of a job, 4 among them")
    parser.add_argument("--skews", type=float, nargs="+", default=[0, 0.1, 0.5, 1, 2], help="seconds, 0 and 2 among them")
    parser.add_argument("--counts", type=int, nargs="+", default=[2**n for n in range(4, 12)], help="clients of a store")
    options = parser.parse_args()
    if 4 not in options.sizes or not {0, 2} <= set(options.skews) or len(options.counts) < 2:
        parser.error("the bars need 4 ranks, the skews 0 and 2, and two numbers of clients")
    return options


def main():
    options = parse_options()
    commands = {name: [str(options.programs / f"rendezvous_{name}")] for name in ("ours", "c10d")}
    commands["python"] = [sys.executable, str(HERE / "rank_python.py")]
    for command in commands.values():
        # Once for nothing: files come into memory, Python compiles its modules.
        run_job(command, 2)
    jobs, libtorch = measure_jobs(commands, options.sizes, options.rounds)
    result = {
        "date": datetime.date.today().isoformat(), "libtorch": libtorch, "python": platform.python_version(),
        "machine": machine(), "rounds": options.rounds, "unit": "seconds",
        "jobs": jobs,
        "skew": measure_skew(commands, [float(skew) for skew in options.skews], options.rounds),
        "clients": measure_clients(str(options.programs / "rendezvous_clients"), options.counts, options.rounds),
    }
    result["bars"] = judge(result)
    output = options.output or DOCS / "benchmarks" / "rendezvous.json"
    output.write_text(json.dumps(result, indent=1) + "\n")
    output.with_suffix(".svg").write_text(report.svg(result))
    if not options.output:
        report.fill(DOCS / "benchmarks.md", result)
    for bar in result["bars"]:
        print(f"{bar['what']}: {bar['value']} ({bar['bar']}: {'met' if bar['met'] else 'MISSED'})")


if __name__ == "__main__":
    main()
