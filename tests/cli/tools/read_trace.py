"""Reads a trace of weft run --trace as viewers do, and checks what they rely on: the importers of
Perfetto (json_trace_parser.cc, slice_tracker.cc, trace_sorter.h) and of chrome://tracing
(trace_event_importer.html, slice_group.html).

usage: read_trace.py FILE WORKERS TICKS [NAME...]: the trace has so many workers and ticks, and each
NAME is that of a slice.
"""

import json
import math
import re
import sys


class Time(int):
    """Nanoseconds, written as microseconds with three digits after the point."""

    def __new__(cls, text):
        if not re.fullmatch(r"(0|[1-9][0-9]*)\.[0-9]{3}", text):
            fail("a time without nanoseconds", text)
        return super().__new__(cls, text.replace(".", ""))

    def as_read(self):
        """As both viewers have it: a double of microseconds."""
        return int(self) / 1000


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
        "X": {"name": str, "cat": str, "pid": int, "tid": int, "ts": Time, "dur": Time,
              "args": dict},
        "C": {"name": str, "pid": int, "ts": Time, "args": dict},
        "M": {"name": str, "pid": int, "tid": int, "args": dict},
        "s": {"name": str, "cat": str, "id": int, "pid": int, "tid": int, "ts": Time},
        "f": {"name": str, "cat": str, "id": int, "pid": int, "tid": int, "ts": Time,
              "bp": str},
    }.get(event.get("ph"))
    if wanted is None:
        fail("an event of an unknown phase", event)
    if set(event) != set(wanted) | {"ph"}:
        fail("an event with other keys", event)
    for key, kind in wanted.items():
        if not isinstance(event[key], kind):
            fail(f"{key} is of another type", event)
    if event["ph"] == "C" and not (
        len(event["args"]) == 1 and all(isinstance(v, int) for v in event["args"].values())
    ):
        fail("a counter that is not one number", event)
    if event["ph"] == "X":
        check_rounding(event)


def check_rounding(event):
    """Doubles must not move an end: Perfetto multiplies, chrome://tracing adds milliseconds."""
    begin, end = event["ts"], event["ts"] + event["dur"]
    start_ms = event["ts"].as_read() / 1000
    end_ms = start_ms + event["dur"].as_read() / 1000
    if (
        math.floor(event["ts"].as_read() * 1000 + 0.5) != begin
        or math.floor(start_ms * 1e6 + 0.5) != begin
        or math.floor(end_ms * 1e6 + 0.5) != end
    ):
        fail("a time that viewers round to another", event)


def end_of(slice_):
    return slice_["ts"] + slice_["dur"]


def check_nesting(slices):
    """Slices of one worker are apart or one in the other; parents stand before. Perfetto orders
    those that begin together by length, chrome://tracing by their place in the file."""
    if sorted(slices, key=lambda e: e["ts"]) != sorted(slices, key=lambda e: (e["ts"], -e["dur"])):
        fail("of slices that begin together an inner one comes first")
    stack = []
    for event in sorted(slices, key=lambda e: e["ts"]):
        while stack and end_of(stack[-1]) <= event["ts"]:
            stack.pop()
        if stack and end_of(stack[-1]) < end_of(event):
            fail("two slices overlap", [stack[-1], event])
        if event["cat"] == "system" and not any(
            outer["cat"] in ("stage", "help") for outer in stack
        ):
            fail("a call in no stage", event)
        stack.append(event)


def bind_flows(events):
    """Perfetto binds a flow to the last slice that began on its thread. Returns them by flow."""
    last = {}
    bound = {}
    order = [e for e in events if e["ph"] in "Xsf"]
    for event in sorted(order, key=lambda e: (e["ts"], -e.get("dur", 0))):
        if event["ph"] == "X":
            last[event["tid"]] = event
        else:
            bound[event["ph"], event["id"]] = last.get(event["tid"])
    return bound


def check_flows(events, by_worker):
    begun = {}
    bound = bind_flows(events)
    edges = {
        tid: {e["ts"] for e in slices} | {end_of(e) for e in slices}
        for tid, slices in by_worker.items()
    }
    for event in events:
        if event["ph"] == "s":
            if event["id"] in begun:
                fail("a flow begins twice", event)
            begun[event["id"]] = event
        if event["ph"] != "s" and event["ph"] != "f":
            continue
        call = bound[event["ph"], event["id"]]
        if call is None or call["cat"] != "system":
            fail("a flow at no call", [call, event])
        if event["ts"] != (end_of(call) - 1 if event["ph"] == "s" else call["ts"] + 1):
            fail("a flow that is not just inside of its call", [call, event])
        # There chrome://tracing takes the slice that ends.
        if event["ts"] in edges[event["tid"]]:
            fail("a flow where a slice begins or ends", event)
        if event["ph"] == "f":
            first = begun.pop(event["id"], None)
            if event["bp"] != "e" or first is None or first["ts"] > event["ts"]:
                fail("a flow that goes back", event)
    if begun:
        fail("a flow without an end", next(iter(begun.values())))


def check_counters(events):
    """chrome://tracing searches in the order in which the values come."""
    last = {}
    for event in events:
        if event["ph"] == "C":
            if last.get(event["name"], 0) > event["ts"]:
                fail("a counter that goes back in time", event)
            last[event["name"]] = event["ts"]


def main():
    with open(sys.argv[1], encoding="utf-8", errors="strict") as file:
        root = json.load(file, object_pairs_hook=unique, parse_float=Time)
    workers, ticks, names = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    if set(root) != {"displayTimeUnit", "metadata", "traceEvents"}:
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
    check_counters(events)
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
