"""Reads what weft export wrote with Python's own csv and sqlite3, and NumPy where it is there, and
compares every value of the three.

usage: read_export.py FOLDER TABLE...: FOLDER has TABLE.csv for each table, all.sqlite, all.npz.
"""

import csv
import math
import os
import sqlite3
import sys

try:
    import numpy
except ImportError:
    numpy = None


def read_csv(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def same(text, value):
    """A word of CSV and a value of SQLite or NumPy."""
    if value is None:
        return text == "nan"
    if isinstance(value, str):
        return text == value
    if isinstance(value, bool):
        return text == str(int(value))
    if isinstance(value, int):
        return text == str(value)
    if math.isnan(value):
        return text == "nan"
    return float(text) == value or f"{value:.9g}" == text


def check_sqlite(path, table, names, rows):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    cursor = base.execute(f'SELECT * FROM "{table}" ORDER BY rowid')
    found = [column[0] for column in cursor.description]
    assert found == names, (found, names)
    values = cursor.fetchall()
    assert len(values) == len(rows), (table, len(values), len(rows))
    for row, got in zip(rows, values):
        for name, text, value in zip(names, row, got):
            assert same(text, value), ("sqlite", table, name, text, value)
    (indexed,) = base.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = ?", (table,)
    ).fetchone()
    assert indexed == 1, table


def check_npz(path, table, names, rows):
    with numpy.load(path, allow_pickle=False) as arrays:
        for at, name in enumerate(names):
            array = arrays[f"{table}.{name}"]
            assert array.shape == (len(rows),), (table, name, array.shape)
            if name + ".raw" in names:
                assert array.dtype == numpy.float64, (table, name)
                raw = arrays[f"{table}.{name}.raw"]
                scale = 2.0 ** (32 if raw.dtype == numpy.int64 else 16)
                assert (array * scale == raw.astype(numpy.float64)).all(), (table, name)
            for row, value in zip(rows, array.tolist()):
                assert same(row[at], value), ("npz", table, name, row[at], value)


def main():
    folder = sys.argv[1]
    total = 0
    for table in sys.argv[2:]:
        names, rows = read_csv(os.path.join(folder, table + ".csv"))
        check_sqlite(os.path.join(folder, "all.sqlite"), table, names, rows)
        if numpy is not None and os.path.exists(os.path.join(folder, "all.npz")):
            check_npz(os.path.join(folder, "all.npz"), table, names, rows)
        total += len(rows)
    print(f"{total} rows are the same,", "with NumPy" if numpy else "without NumPy")


main()
