/// The graph of `weft report --module`.
#pragma once

#include "report_page.h"

/// Makes the simulation that the options name, and fills the page's graph and picture. Says what is
/// wrong.
weft_exit report_graph_make(const weft_cli* cli, const weft_cli_options* options,
                            report_page* page);
