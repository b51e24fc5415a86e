/* SPDX-License-Identifier: MIT */
/*
 * `weir run`: checks the file, runs the pipeline until it ends or is told to, says what it has done.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/logger.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/crash.h"
#include "cli/dry_run.h"
#include "cli/explain.h"
#include "cli/load.h"
#include "cli/summary.h"
#include "engine/engine.h"
#include "log/log.h"

static atomic_int stop_signals;

/* The first signal asks for a checkpoint and a stop, the second one ends the process as it would have
 * without us. */
static void on_signal(int signal_number)
{
    if (atomic_fetch_add(&stop_signals, 1) > 0) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* A terminal that is closed; not where nohup has asked for going on. */
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
}

static void show_progress(void *self, const struct engine_progress *progress)
{
    (void)self;
    char line[160];
    double seconds = progress->seconds > 0 ? progress->seconds : 1;
    snprintf(line, sizeof line, "%" PRIu64 " records in, %" PRIu64 " out, %.0f/s",
             progress->records_in, progress->records_out, (double)progress->records_in / seconds);
    logger_progress(line);
}

/* WEIR_BATCH_SIZE: for tests, which show that results do not depend on it. */
static uint32_t batch_size_from_environment(void)
{
    const char *text = getenv("WEIR_BATCH_SIZE");
    long size = text == NULL ? 0 : strtol(text, NULL, 10);
    return size < 1 || size > 65536 ? 0 : (uint32_t)size;
}

/* WEIR_TEST_SEATS=1: for tests, which show that sinks do the same by partition. */
static bool has_seats_by_partition(void)
{
    const char *text = getenv("WEIR_TEST_SEATS");
    return text != NULL && strcmp(text, "1") == 0;
}

static struct engine_options read_options(const struct args *args)
{
    return (struct engine_options){
        .log_url = args_text(args, "log"),
        .folder = ".",
        .checkpoint_interval_ms = args_number(args, "checkpoint", -1),
        .threads = args_number(args, "threads", -1),
        .batch_size = batch_size_from_environment(),
        .count = args_number(args, "count", 0),
        .timeout_ms = args_number(args, "timeout", 0),
        .is_until_end = args_has(args, "until-end"),
        .is_fresh = args_has(args, "fresh"),
        .is_timed = args_has(args, "explain"),
        .has_seats_by_partition = has_seats_by_partition(),
        .stop = &stop_signals,
        .progress = show_progress,
    };
}

static int run_pipeline(struct loaded *loaded, const struct args *args)
{
    struct pipeline *pipeline = loaded->pipeline;
    struct engine_options options = read_options(args);
    struct engine_report report;
    struct error error = { .status = WEIR_OK };
    if (args_has(args, "dry-run")) {
        return dry_run(pipeline, &options, &loaded->diagnostics, args);
    }
    catch_signals();
    crash_handle();
    weir_status st = engine_run(pipeline, &options, &report, &error);
    logger_progress(NULL);
    if (st != WEIR_OK) {
        logger_write(LOGGER_ERROR, NULL, "%s%s%s", error.message, error.hint[0] != 0 ? "; " : "",
                     error.hint);
    }
    summary_write(pipeline, &report, st == WEIR_OK, args->is_json);
    if (report.timing != NULL) {
        explain_run(pipeline, options.log_url, &report, args->is_json);
    }
    bool is_abandoned = report.is_abandoned;
    report_deinit(&report);
    if (is_abandoned) {
        /* A plugin is still running in this memory: nothing may be freed under it. */
        _exit(st == WEIR_OK ? EXIT_DONE : error.asks_restart ? EXIT_RETRY : EXIT_FAULT);
    }
    return st == WEIR_OK ? EXIT_DONE : error.asks_restart ? EXIT_RETRY : EXIT_FAULT;
}

static int check_and_run(const struct args *args)
{
    struct loaded loaded;
    int status = loaded_init(&loaded, args) ? run_pipeline(&loaded, args) : EXIT_FAULT;
    loaded_deinit(&loaded);
    return status;
}

int command_run(int argc, char **argv)
{
    struct args args;
    int status = EXIT_DONE;
    if (!args_parse(&args, commands, argc, argv, &status)) {
        return status;
    }
    const char *log_url = args_text(&args, "log");
    struct error error = { .status = WEIR_OK };
    if (log_url != NULL && log_url_check(log_url, &error) != WEIR_OK) {
        return args_fault(&args, NULL, "%s", error.message);
    }
    if (args_has(&args, "dry-run") && args_has(&args, "fresh")) {
        return args_fault(&args, NULL, "'--dry-run' and '--fresh' cannot be given together");
    }
    logger_configure(LOGGER_INFO, args.is_json, args.has_color_err);
    return check_and_run(&args);
}
