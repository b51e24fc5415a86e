/* SPDX-License-Identifier: MIT */
#include "engine/report/meter.h"

#include "engine/state.h"

static void keep(struct meter *meter)
{
    meter->kept.in = meter_get(&meter->in);
    meter->kept.out = meter_get(&meter->out);
    meter->kept.failed = meter_get(&meter->failed);
}

static void take_back(struct meter *meter)
{
    atomic_store(&meter->in, meter->kept.in);
    atomic_store(&meter->out, meter->kept.out);
    atomic_store(&meter->failed, meter->kept.failed);
}

static void each(struct engine *engine, void (*visit)(struct meter *meter))
{
    for (uint32_t i = 0; i < engine->plan->node_count; i++) {
        visit(&engine->meters[i]);
    }
    for (uint32_t i = 0; i < engine->source_count; i++) {
        visit(&engine->source_meters[i]);
    }
    visit(&engine->letters.meter);
}

void meters_keep(struct engine *engine)
{
    each(engine, keep);
    engine->kept_arrivals = meter_get(&engine->pool.arrivals);
    drops_keep(&engine->faults.drops);
}

void meters_take_back(struct engine *engine)
{
    each(engine, take_back);
    atomic_store(&engine->pool.arrivals, engine->kept_arrivals);
    drops_take_back(&engine->faults.drops);
}
