// The campaigns of test_commit.c ten times over, from other seeds.

#include "campaign.h"

enum {
    TIMES = 10
};

Test(commit_long, host_in_small_worlds) {
    campaign_run(&(campaign){"long host small", TERRAIN_SMALL, false, 40, 55000, false}, TIMES);
}

Test(commit_long, host_around_shard_edges) {
    campaign_run(&(campaign){"long host edge", TERRAIN_EDGE, false, 100, 20000, false}, TIMES);
}

Test(commit_long, host_against_limits) {
    campaign_run(&(campaign){"long host limited", TERRAIN_LIMITED, false, 30, 10000, false}, TIMES);
}

Test(commit_long, host_in_crowds) {
    campaign_run(&(campaign){"long host crowd", TERRAIN_CROWD, false, 25, 150, false}, TIMES);
}

Test(commit_long, systems_in_small_worlds) {
    campaign_run(&(campaign){"long systems small", TERRAIN_SMALL, true, 50, 12000, false}, TIMES);
}

Test(commit_long, systems_around_shard_edges) {
    campaign_run(&(campaign){"long systems edge", TERRAIN_EDGE, true, 100, 5000, false}, TIMES);
}

Test(commit_long, systems_in_crowds) {
    campaign_run(&(campaign){"long systems crowd", TERRAIN_CROWD, true, 20, 60, false}, TIMES);
}
