/// Series of a log: numbers by tick, for charts and for gnuplot.
#pragma once

#include "cli.h"

/// One number of each tick. Of a table with one row a tick at most each column is a series; of
/// other tables it is the number of rows.
typedef struct series {
    char* table;
    char* column; // Null: rows of the table.
    double* ticks;
    double* values;
    size_t count;
    size_t capacity;
} series;

typedef struct series_set {
    series* at;
    size_t count;
} series_set;

/// Reads all series of a log. Status: as weft_simlog_reader_next(), OUT_OF_MEMORY; the line says
/// why. To be forgotten in any case.
weft_status series_read(const char* path, series_set* out, char* line, size_t capacity);
void series_forget(series_set* set);

/// Adds an empty series; null if there is no memory. `column` may be null.
series* series_new(series_set* set, const char* table, const char* column);

/// Adds a number; false if there is no memory.
bool series_add(series* to, double tick, double value);
