/// `weft run --plot`: series of a run, drawn by gnuplot.
#pragma once

#include "series.h"

/// A picture that is made when the run has ended.
typedef struct run_plot {
    const char* names; // As they were given, null: none is wanted.
    const char* path;
    char* log_path;   // Of a log of its own, which goes away with it; null: there is none.
    series_set alive; // One series: entities after each tick.
    bool failed;      // No memory.
} run_plot;

/// Looks at the options before anything runs, and has a log made where one is needed. Says what is
/// wrong.
weft_exit run_plot_begin(run_plot* plot, weft_cli_options* options);

/// Notes the number of entities after a tick.
void run_plot_tick(run_plot* plot, uint64_t tick, uint64_t alive);

/// Draws from the log, which is whole. Says what is wrong.
weft_exit run_plot_draw(run_plot* plot, const char* log_path, const char* module);

/// Takes its log away.
void run_plot_end(run_plot* plot);
