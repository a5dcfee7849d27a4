"""Reads a trace of weft run --trace as viewers do, and checks what they rely on.

usage: read_trace.py FILE WORKERS TICKS [NAME...]: the trace has so many workers and ticks, and each
NAME is that of a slice.
"""

import json
import sys

NUMBERS = (int, float)


def fail(text, event=None):
    sys.exit(f"{sys.argv[1]}: {text}" + (f": {event}" if event else ""))


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        fail("a key twice", keys)
    return dict(pairs)


def check_event(event):
    """Keys and types, by the trace event format."""
    wanted = {
        "X": {"name": str, "cat": str, "pid": int, "tid": int, "ts": NUMBERS, "dur": NUMBERS,
              "args": dict},
        "C": {"name": str, "pid": int, "ts": NUMBERS, "args": dict},
        "M": {"name": str, "pid": int, "tid": int, "args": dict},
        "s": {"name": str, "cat": str, "id": int, "pid": int, "tid": int, "ts": NUMBERS},
        "f": {"name": str, "cat": str, "id": int, "pid": int, "tid": int, "ts": NUMBERS,
              "bp": str},
    }.get(event.get("ph"))
    if wanted is None:
        fail("an event of an unknown phase", event)
    if set(event) != set(wanted) | {"ph"}:
        fail("an event with other keys", event)
    for key, kind in wanted.items():
        if not isinstance(event[key], kind):
            fail(f"{key} is of another type", event)
    if event.get("ts", 0) < 0 or event.get("dur", 0) < 0:
        fail("a time before the start", event)
    if event["ph"] == "C" and not all(isinstance(v, int) for v in event["args"].values()):
        fail("a counter that is no number", event)


def thousandths(number):
    return round(number * 1000)


def check_nesting(slices):
    """Slices of one worker are apart or one in the other; parents stand before."""
    stack = []
    for event in sorted(slices, key=lambda e: (thousandths(e["ts"]), -thousandths(e["dur"]))):
        begin = thousandths(event["ts"])
        end = begin + thousandths(event["dur"])
        while stack and stack[-1][1] <= begin:
            stack.pop()
        if stack and stack[-1][1] < end:
            fail("two slices overlap", [stack[-1][2], event])
        if event["cat"] == "system" and not any(
            outer[2]["cat"] in ("stage", "help") for outer in stack
        ):
            fail("a call in no stage", event)
        stack.append((begin, end, event))


def check_flows(events, by_worker):
    begun = {}
    for event in events:
        if event["ph"] == "s":
            if event["id"] in begun:
                fail("a flow begins twice", event)
            begun[event["id"]] = event
        if event["ph"] != "s" and event["ph"] != "f":
            continue
        at = thousandths(event["ts"])
        if not any(
            s["cat"] == "system"
            and thousandths(s["ts"]) <= at <= thousandths(s["ts"]) + thousandths(s["dur"])
            for s in by_worker[event["tid"]]
        ):
            fail("a flow at no call", event)
        if event["ph"] == "f":
            first = begun.pop(event["id"], None)
            if first is None or thousandths(first["ts"]) > at:
                fail("a flow that goes back", event)
    if begun:
        fail("a flow without an end", next(iter(begun.values())))


def main():
    with open(sys.argv[1], encoding="utf-8", errors="strict") as file:
        root = json.load(file, object_pairs_hook=unique)
    workers, ticks, names = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    if set(root) != {"displayTimeUnit", "otherData", "traceEvents"}:
        fail("other keys", sorted(root))
    events = root["traceEvents"]
    by_worker = {worker + 1: [] for worker in range(workers)}
    for event in events:
        check_event(event)
        if event["ph"] == "X":
            by_worker[event["tid"]].append(event)
    named = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    if sorted(named) != sorted(by_worker):
        fail("threads are not named", named)
    for slices in by_worker.values():
        check_nesting(slices)
    check_flows(events, by_worker)
    slices = [event for found in by_worker.values() for event in found]
    if sum(event["cat"] == "tick" for event in slices) != ticks:
        fail("another number of ticks")
    counters = [e["name"] for e in events if e["ph"] == "C"]
    for name in ("entities", "commands", "messages", "bytes of written columns"):
        if counters.count(name) != ticks:
            fail(f"{name} are not counted in each tick")
    if "ready calls" not in counters:
        fail("ready calls are not counted")
    for name in names:
        if not any(event["name"] == name for event in slices):
            fail(f"no slice is named {name!r}")
    flows = sum(event["ph"] == "s" for event in events)
    print(f"{len(slices)} slices, {flows} flows, {len(counters)} counts")


main()
