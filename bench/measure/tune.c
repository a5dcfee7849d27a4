#include "tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* const weft_tune_factor_names[WEFT_TUNE_FACTORS] = {"workers", "memory",  "order",
                                                               "grain",   "waiting", "placement"};
const char* const weft_tune_verdict_names[4] = {"no gain", "faster", "uncertain", "refused"};

enum {
    PASSES = 2,          // Over all factors: what was taken may change what suits it.
    DUELS_AT_LEAST = 12, // So many share the time of the search.
    QUICK_ROUNDS = 2,
};

// Rounds after which the samples are looked at. The first is the least that can be certain.
static const uint32_t looks[] = {8, 12, 18, 27, 40, WEFT_TUNE_ROUNDS_MAX};
enum {
    LOOKS = sizeof(looks) / sizeof(looks[0])
};

typedef struct search {
    const weft_tune_desc* desc;
    const weft_tune_ground* ground;
    weft_tune_result* result;
    double begin_s;
    double search_s; // Of all, for the candidates.
} search;

static bool is_stopped(const search* all) {
    const weft_tune_ground* ground = all->ground;
    return ground->stopped && ground->stopped(ground->context);
}

static double elapsed(const search* all) {
    return all->ground->seconds(all->ground->context) - all->begin_s;
}

static void report(const search* all, const char* what) {
    if (all->ground->progress)
        all->ground->progress(all->ground->context, what, elapsed(all) / all->desc->time_s);
}

// Candidates against the best --------------------------------------------------------------------

static weft_tune_verdict judge(const weft_statistics_ratio* ratio) {
    if (!ratio->is_certain)
        return WEFT_TUNE_UNCERTAIN;
    if (ratio->high < 1)
        return WEFT_TUNE_FASTER;
    return ratio->low > 1 - WEFT_TUNE_GAIN ? WEFT_TUNE_NO_GAIN : WEFT_TUNE_UNCERTAIN;
}

static bool is_look(uint32_t rounds) {
    for (uint32_t i = 0; i < LOOKS; i++)
        if (looks[i] == rounds)
            return true;
    return false;
}

// Whether there is time for one more round: as many as can decide, then a share of the search.
static bool has_time(const search* all, uint32_t rounds, double until_s) {
    return elapsed(all) < (rounds < looks[0] ? all->search_s : until_s);
}

// Rounds until it is decided, or the time is up. Each look may err, so they share the error.
static weft_status duel(search* all, weft_tune_trial* trial, double until_s) {
    double ratios[WEFT_TUNE_ROUNDS_MAX];
    uint32_t limit = all->desc->quick ? QUICK_ROUNDS : WEFT_TUNE_ROUNDS_MAX;
    while (trial->rounds < limit && has_time(all, trial->rounds, until_s) && !is_stopped(all)) {
        double ns[2] = {0, 0};
        WEFT_TRY(all->ground->round(all->ground->context, ns));
        WEFT_ASSERT(ns[0] > 0 && ns[1] > 0);
        ratios[trial->rounds++] = ns[1] / ns[0];
        report(all, trial->what);
        if (!is_look(trial->rounds))
            continue;
        trial->ratio =
            weft_statistics_paired(ratios, trial->rounds, WEFT_TUNE_ERROR / (double)LOOKS);
        trial->verdict = judge(&trial->ratio);
        if (trial->verdict != WEFT_TUNE_UNCERTAIN)
            return WEFT_STATUS_OK;
    }
    trial->ratio = weft_statistics_paired(ratios, trial->rounds, WEFT_TUNE_ERROR / (double)LOOKS);
    trial->verdict = WEFT_TUNE_UNCERTAIN;
    return WEFT_STATUS_OK;
}

static bool is_refusal(weft_status status) {
    return status == WEFT_STATUS_UNSUPPORTED || status == WEFT_STATUS_OS ||
           status == WEFT_STATUS_OUT_OF_MEMORY;
}

static weft_status try_candidate(search* all, weft_tune_factor factor,
                                 const weft_tune_candidate* candidate) {
    weft_tune_result* result = all->result;
    if (elapsed(all) >= all->search_s || result->trial_count == WEFT_TUNE_TRIALS_MAX) {
        ++result->skipped;
        return WEFT_STATUS_OK;
    }
    weft_tune_trial* trial = &result->trial[result->trial_count++];
    *trial = (weft_tune_trial){.factor = factor};
    snprintf(trial->what, sizeof(trial->what), "%s", candidate->what);
    weft_status status =
        all->ground->open(all->ground->context, &result->found, &candidate->layout);
    double until_s = elapsed(all) + all->search_s / DUELS_AT_LEAST;
    if (is_refusal(status))
        trial->verdict = WEFT_TUNE_REFUSED;
    else if (status == WEFT_STATUS_OK)
        status = duel(all, trial, until_s);
    all->ground->close(all->ground->context);
    if (trial->verdict == WEFT_TUNE_FASTER)
        result->found = candidate->layout;
    return trial->verdict == WEFT_TUNE_REFUSED ? WEFT_STATUS_OK : status;
}

// *changed is set if the best is another one afterwards.
static weft_status try_factor(search* all, weft_tune_factor factor, weft_tune_candidate* room,
                              bool* changed) {
    weft_tune_result* result = all->result;
    for (uint32_t i = 0; weft_tune_candidate_at(all->desc, &result->found, factor, i, room); ++i) {
        uint32_t before = result->trial_count;
        if (is_stopped(all))
            break;
        if (weft_layout_equal(&room->layout, &result->found))
            continue;
        WEFT_TRY(try_candidate(all, factor, room));
        if (result->trial_count > before && result->trial[before].verdict == WEFT_TUNE_FASTER)
            *changed = true;
    }
    return WEFT_STATUS_OK;
}

// The end ----------------------------------------------------------------------------------------

// The best against the start, with samples that had no part in its choice. How many there are is
// settled before the first one.
static weft_status compare_last(search* all) {
    weft_tune_result* result = all->result;
    double ratios[WEFT_TUNE_ROUNDS_MAX];
    double ns[2][WEFT_TUNE_ROUNDS_MAX];
    uint32_t limit = all->desc->quick ? QUICK_ROUNDS : WEFT_TUNE_ROUNDS_MAX;
    double until_s = all->desc->time_s > elapsed(all) ? all->desc->time_s : 0;
    while (result->gain_rounds < limit && !is_stopped(all)) {
        double pair[2] = {0, 0};
        uint32_t at = result->gain_rounds;
        // Never fewer than can be certain.
        if (at >= looks[1] && elapsed(all) >= until_s)
            break;
        WEFT_TRY(all->ground->round(all->ground->context, pair));
        ns[0][at] = pair[0];
        ns[1][at] = pair[1];
        ratios[at] = pair[1] / pair[0];
        ++result->gain_rounds;
        report(all, "best against default");
    }
    result->gain = weft_statistics_paired(ratios, result->gain_rounds, WEFT_TUNE_FINAL_ERROR);
    for (int i = 0; i < 2; ++i)
        result->tick_ns[i] = weft_statistics_median(ns[i], result->gain_rounds);
    result->is_certain = result->gain.is_certain && result->gain.high < 1;
    return WEFT_STATUS_OK;
}

static weft_status finish(search* all) {
    weft_tune_result* result = all->result;
    result->gain = (weft_statistics_ratio){1, 1, 1, true};
    if (weft_layout_equal(&result->found, &all->desc->start))
        return WEFT_STATUS_OK;
    weft_status status = all->ground->open(all->ground->context, &all->desc->start, &result->found);
    if (status == WEFT_STATUS_OK)
        status = compare_last(all);
    all->ground->close(all->ground->context);
    if (status == WEFT_STATUS_OK && result->is_certain)
        result->chosen = result->found;
    return status;
}

weft_status weft_tune_search(const weft_tune_desc* desc, const weft_tune_ground* ground,
                             weft_tune_result* result) {
    WEFT_ASSERT(desc->time_s > 0);
    *result = (weft_tune_result){.found = desc->start, .chosen = desc->start};
    search all = {.desc = desc, .ground = ground, .result = result};
    all.begin_s = ground->seconds(ground->context);
    all.search_s = desc->time_s * 2 / 3;
    weft_tune_candidate* room = malloc(sizeof(*room)); // Too large for a stack.
    WEFT_ASSERT(room);
    weft_status status = WEFT_STATUS_OK;
    bool changed = true;
    for (int pass = 0; pass < PASSES && changed && status == WEFT_STATUS_OK; ++pass) {
        changed = false;
        for (int factor = 0; factor < WEFT_TUNE_FACTORS && status == WEFT_STATUS_OK; ++factor)
            status = try_factor(&all, (weft_tune_factor)factor, room, &changed);
    }
    free(room);
    if (status == WEFT_STATUS_OK && !is_stopped(&all))
        status = finish(&all);
    result->stopped = is_stopped(&all);
    return status;
}
