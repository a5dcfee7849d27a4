// More random graphs, and larger ones, from other seeds.

#include "graphs.h"

#include <criterion/criterion.h>

Test(graphs_long, of_few_systems) {
    graphs_run(&(graphs_campaign){"long few", 14, 6000, true}, 20);
}

Test(graphs_long, of_dozens) {
    graphs_run(&(graphs_campaign){"long dozens", 120, 500, true}, 20);
}

Test(graphs_long, of_hundreds) {
    graphs_run(&(graphs_campaign){"long hundreds", 1500, 30, false}, 10);
}

Test(graphs_long, of_up_to_ten_thousand) {
    graphs_run(&(graphs_campaign){"long thousands", 10000, 20, false}, 1);
}
