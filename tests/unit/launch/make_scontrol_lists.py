#!/usr/bin/env python3
# Prints scontrol_lists.inc: 300 generated host lists, and what the real `scontrol show hostnames` makes of each.
#
# usage: SLURM_CONF=any-valid-slurm.conf tests/unit/launch/make_scontrol_lists.py > tests/unit/launch/scontrol_lists.inc
#
# Needs scontrol from 23.11 on, which knows text after a bracket. SCONTROL names another command than "scontrol".
import os
import random
import shlex
import subprocess

SCONTROL = shlex.split(os.environ.get("SCONTROL", "scontrol"))
LETTERS = ["n", "node", "gpu-", "c427-", "rack", "compute-b24_", "a.b", "x+y:", "10.0.", "n1-", "_", "ml-16-node-"]


def number(rng):
    digits = str(rng.choice([0, 1, 7, 8, 9, 10, 98, 99, 100, 998, rng.randrange(5000)]))
    return digits.rjust(rng.choice([0, 0, 0, 2, 3, 5]), "0")


def numeric_range(rng):
    low = number(rng)
    if rng.random() < 0.4:
        return low
    if rng.random() < 0.05:
        return low + "-"
    high = str(int(low) + rng.randrange(4))
    return low + "-" + high.rjust(rng.choice([0, len(low), len(low) + 1]), "0")


def pattern(rng):
    text = rng.choice(LETTERS)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 4])):
        ranges = rng.randrange(1, 4)
        text += "[" + ",".join(numeric_range(rng) for _ in range(ranges)) + "]" + rng.choice(["", "", "n", "-ib", ".cl"])
    return text if "[" in text else text + number(rng)


def host_list(rng):
    while True:
        count = rng.choice([1, 1, 2, 3])
        text = rng.choice(["", "", "", ","]) + pattern(rng)
        for _ in range(count - 1):
            text += rng.choice([",", ",", ",", ", ", " ", ",,"]) + pattern(rng)
        hosts = subprocess.run(SCONTROL + ["show", "hostnames", text], check=True, stdout=subprocess.PIPE, text=True)
        hosts = hosts.stdout.split()
        # Long expansions show nothing that shorter ones don't.
        if len(hosts) <= 40:
            return text, hosts


def main():
    rng = random.Random(1)
    print("// Made by make_scontrol_lists.py: a host list, and what Slurm's scontrol made of it.")
    for _ in range(300):
        text, hosts = host_list(rng)
        print('{"%s", "%s"},' % (text, " ".join(hosts)))


main()
