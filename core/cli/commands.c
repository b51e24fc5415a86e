/* SPDX-License-Identifier: MIT */
/*
 * The table of commands: what each takes and what it says about itself. docs/reference/commands.md
 * is generated from it.
 */
#include "cli/commands.h"

#define ANY_COUNT SIZE_MAX

static const struct flag run_flags[] = {
    { .name = "until-end",
      .summary = "Stop when every source has ended and everything in the topics is processed" },
    { .name = "count",
      .value = "N",
      .kind = FLAG_NUMBER,
      .min = 1,
      .summary = "Stop when N records have arrived at ends" },
    { .name = "timeout",
      .value = "TIME",
      .kind = FLAG_DURATION,
      .summary = "Stop when no record came for that long: 10s, 5m" },
    { .name = "fresh",
      .summary =
          "Forget positions and state of this pipeline first, and its results where the log is "
          "its own; refused while it runs elsewhere" },
    { .name = "dry-run",
      .summary =
          "Change nothing: tell which topics are there or would be created, and what would be "
          "read; status 1 where the run could not begin" },
    { .name = "explain",
      .summary = "Measure, and show after the summary where the time went: the plan of 'weir "
                 "explain' with records and times" },
    { .name = "log",
      .value = "URL",
      .kind = FLAG_TEXT,
      .summary = "The log, instead of the file's: local:DIR, kafka://HOST:PORT or memory" },
    { .name = "threads",
      .value = "N",
      .kind = FLAG_NUMBER,
      .summary = "Worker threads, instead of the file's; 0: as many as there are cores" },
    { .name = "checkpoint",
      .value = "TIME",
      .kind = FLAG_DURATION,
      .summary = "Time between checkpoints, instead of the file's; 0: after every record" },
    { .name = NULL },
};

static const struct flag check_flags[] = {
    { .name = "strict", .summary = "Warnings count as errors" },
    { .name = NULL },
};

static const struct flag graph_flags[] = {
    { .name = "format",
      .value = "FORMAT",
      .kind = FLAG_TEXT,
      .summary = "text, svg, dot (Graphviz) or mermaid (Markdown); left out: text" },
    { .name = NULL },
};

/* clang-format off */
#define TOPIC_FLAGS                                                                                \
    { .name = "log", .value = "URL", .kind = FLAG_TEXT,                                            \
      .summary = "The log: local:DIR or kafka://HOST:PORT" },                                      \
    { .name = "file", .letter = 'f', .value = "FILE", .kind = FLAG_TEXT,                           \
      .summary = "Take log and serializers from this pipeline file" }
/* clang-format on */

static const struct flag topic_list_flags[] = {
    { .name = "all", .summary = "Also those that pipelines, or Kafka, have made for themselves" },
    TOPIC_FLAGS,
    { .name = NULL },
};

static const struct flag topic_create_flags[] = {
    { .name = "partitions",
      .value = "N",
      .kind = FLAG_NUMBER,
      .min = 1,
      .summary = "Number of partitions; left out: the file's, else the brokers' or 1" },
    { .name = "replication",
      .value = "N",
      .kind = FLAG_NUMBER,
      .min = 1,
      .summary = "Copies of each partition, on Kafka; left out: the file's, else the brokers'" },
    { .name = "config",
      .value = "PAIRS",
      .kind = FLAG_TEXT,
      .summary = "NAME=VALUE by the brokers' names, several with blanks between them" },
    TOPIC_FLAGS,
    { .name = NULL },
};

static const struct flag topic_cat_flags[] = {
    { .name = "partition",
      .value = "N",
      .kind = FLAG_NUMBER,
      .summary = "Only this partition; left out: all" },
    { .name = "from",
      .value = "WHERE",
      .kind = FLAG_TEXT,
      .summary = "beginning, end, an offset, or a time such as 2026-01-01T06:00:00Z" },
    { .name = "count",
      .value = "N",
      .kind = FLAG_NUMBER,
      .min = 1,
      .summary = "Stop after N records" },
    { .name = "where",
      .value = "EXPR",
      .kind = FLAG_TEXT,
      .summary = "Only records for which this is truthy, such as 'site == \"A\"'" },
    { .name = "follow", .summary = "At the end wait for more" },
    { .name = "raw", .summary = "Only the values, as they are in the log, one a line" },
    TOPIC_FLAGS,
    { .name = NULL },
};

static const struct flag topic_put_flags[] = {
    { .name = "key",
      .value = "EXPR",
      .kind = FLAG_TEXT,
      .summary = "The message's key, computed from its value" },
    { .name = "raw", .summary = "A line is the value's bytes, not decoded" },
    { .name = "create",
      .value = "N",
      .kind = FLAG_NUMBER,
      .min = 1,
      .summary = "Create the topic with N partitions if it does not exist" },
    TOPIC_FLAGS,
    { .name = NULL },
};

static const struct flag topic_replay_flags[] = {
    { .name = "where",
      .value = "EXPR",
      .kind = FLAG_TEXT,
      .summary = "Only letters for which this is truthy, such as 'stream == \"late\"'" },
    { .name = "partition",
      .value = "N",
      .kind = FLAG_NUMBER,
      .summary = "Only letters of this partition; left out: all" },
    { .name = "from",
      .value = "OFFSET",
      .kind = FLAG_NUMBER,
      .summary = "Only letters from this offset on" },
    { .name = "count",
      .value = "N",
      .kind = FLAG_NUMBER,
      .min = 1,
      .summary = "Stop after N messages" },
    { .name = "dry-run", .summary = "Say what would be done, put nothing" },
    { .name = "again", .summary = "Also messages that have been put back before" },
    TOPIC_FLAGS,
    { .name = NULL },
};

static const struct flag topic_describe_flags[] = { TOPIC_FLAGS, { .name = NULL } };

static const struct flag topic_trim_flags[] = {
    { .name = "before",
      .value = "WHERE",
      .kind = FLAG_TEXT,
      .summary = "The first offset that stays, a time such as 2026-01-01T06:00:00Z, or end" },
    { .name = "partition",
      .value = "N",
      .kind = FLAG_NUMBER,
      .summary = "Only this partition; left out: all" },
    { .name = "unread", .summary = "Also what pipelines have not read; they go on behind it" },
    TOPIC_FLAGS,
    { .name = NULL },
};

static const struct flag topic_delete_flags[] = {
    { .name = "internal", .summary = "Also a topic that a pipeline has made for itself" },
    TOPIC_FLAGS,
    { .name = NULL },
};

static const struct flag inspect_flags[] = {
    { .name = "kind",
      .value = "KIND",
      .kind = FLAG_TEXT,
      .summary = "Only this kind: source, operator, sink, serializer, function" },
    { .name = "markdown", .summary = "Write the page of the reference" },
    { .name = NULL },
};

static const struct flag plugin_check_flags[] = {
    { .name = "grade",
      .value = "GRADE",
      .kind = FLAG_TEXT,
      .summary = "What is asked for: loads, conforms (left out: this), exemplary" },
    { .name = NULL },
};

static const struct flag schema_flags[] = {
    { .name = "markdown",
      .summary = "Write the page of the reference: keys and options but those of plugins" },
    { .name = NULL },
};

static const struct flag help_flags[] = {
    { .name = "markdown", .summary = "Write the reference of all commands" },
    { .name = "man", .summary = "Write the manual page weir.1" },
    { .name = "completion",
      .value = "SHELL",
      .kind = FLAG_TEXT,
      .summary = "Write what makes a shell complete commands and flags: bash, zsh" },
    { .name = NULL },
};

/* clang-format off */
#define TOPIC_DOC                                                                                  \
    "The log is that of --log, else that of the pipeline file (-f FILE, or ./pipeline.yaml if it\n"\
    "is there), else local:weir-data."
/* clang-format on */
static const char topic_doc[] = TOPIC_DOC;
static const char topic_cat_doc[] = TOPIC_DOC
    "\n\n"
    "Shows what is committed, also while a pipeline runs, one partition after the other:\n"
    "partition, offset, time, key, value, and headers where there are any. A topic of the\n"
    "pipeline file is read with its serializers; others as JSON, or as text where they are\n"
    "none. With --json a line is a record line. --where sees a record as the steps of a\n"
    "pipeline do; records that it cannot judge are not shown and are counted at the end.";
static const char topic_create_doc[] = TOPIC_DOC
    "\n\n"
    "Makes a topic, which must not be there. For a topic of the pipeline file the file says what\n"
    "the flags do not. In a log of weir's own --config takes retention.ms, retention.bytes,\n"
    "cleanup.policy and delete.retention.ms.";
static const char topic_describe_doc[] = TOPIC_DOC
    "\n\n"
    "Partitions with their first offset and that of the next record, records, bytes, the times\n"
    "of the first record and of the newest; how far pipelines have read; the topic's options.\n"
    "What the log does not know is '-', with --json null. On Kafka records are offsets,\n"
    "pipelines are all groups, and there are the replicas and what was configured for the topic.";
static const char topic_trim_doc[] = TOPIC_DOC
    "\n\n"
    "Removes the records before an offset or a time for good; offsets stay. Refused where a\n"
    "pipeline has not read them, unless --unread is given, and while a pipeline runs on an\n"
    "embedded log.";
static const char topic_delete_doc[] = TOPIC_DOC
    "\n\n"
    "Removes the topic with all its records, without asking, and what pipelines know of it.\n"
    "Refused while a pipeline runs on an embedded log, or reads the topic on Kafka.";
static const char topic_put_doc[] = TOPIC_DOC
    "\n\n"
    "A line of FILE or of standard input is a value as the topic's serializer writes it:\n"
    "JSON, unless the pipeline file says otherwise. Blank lines are passed over. With\n"
    "--json a line is a record line, with key, timestamp and headers. A line that is\n"
    "wrong ends the command, and no message is put; on Kafka those before it may be, which is\n"
    "told.";
static const char topic_replay_doc[] = TOPIC_DOC
    "\n\n"
    "LETTERS is a topic of dead letters. Each input message goes back to its topic and\n"
    "partition with its key, headers and timestamp, once; the log keeps which letters were\n"
    "replayed, in the same commit, on Kafka in the topic 'replayed__LETTERS'. Letters without a\n"
    "message of the log, and those whose message was cut, are told one by one. Refused while a\n"
    "pipeline runs on an embedded log. On Kafka another one at the same letters is ended.";

const struct command commands[] = {
    { .name = "run",
      .summary = "Run a pipeline",
      .operands = "[FILE]",
      .doc =
          "FILE left out is ./pipeline.yaml. SIGINT or SIGTERM: checkpoint and stop; a second one "
          "ends at once.",
      .example = "weir run pipeline.yaml --until-end",
      .flags = run_flags,
      .max_operands = 1,
      .function = command_run },
    { .name = "check",
      .summary = "Find every fault of pipeline files before they run",
      .operands = "[FILE...]",
      .doc = "Works offline; opens and creates nothing. FILE left out is ./pipeline.yaml.",
      .example = "weir check pipeline.yaml --strict",
      .flags = check_flags,
      .max_operands = ANY_COUNT,
      .function = command_check },
    { .name = "graph",
      .summary = "Draw the graph of a pipeline file",
      .operands = "[FILE]",
      .doc = "Sources, topics, streams with their steps, sinks, and what flows from one to the\n"
             "other, on standard output. FILE left out is ./pipeline.yaml. The SVG needs no other\n"
             "program, file or script; with --json nodes and edges are told.",
      .example = "weir graph pipeline.yaml --format svg > pipeline.svg",
      .flags = graph_flags,
      .max_operands = 1,
      .function = command_graph },
    { .name = "explain",
      .summary = "Show how a pipeline file would be run",
      .operands = "[FILE]",
      .doc =
          "The way of a batch through the steps, where the order of branches is restored, tasks,\n"
          "lanes, checkpoints, and what each end promises. Opens neither the log nor sources nor\n"
          "sinks. FILE left out is ./pipeline.yaml.",
      .example = "weir explain pipeline.yaml",
      .max_operands = 1,
      .function = command_explain },
    { .name = "topic list",
      .summary = "List topics with partitions, records and bytes",
      .operands = "",
      .doc = topic_doc,
      .example = "weir topic list --log local:weir-data",
      .flags = topic_list_flags,
      .function = command_topic },
    { .name = "topic create",
      .summary = "Make a topic",
      .operands = "NAME",
      .doc = topic_create_doc,
      .example = "weir topic create readings --partitions 4\n"
                 "weir topic create readings --partitions 4 --replication 3 "
                 "--config 'retention.ms=86400000 compression.type=lz4' --log kafka://broker:9092",
      .flags = topic_create_flags,
      .min_operands = 1,
      .max_operands = 1,
      .function = command_topic },
    { .name = "topic cat",
      .summary = "Show the records of a topic",
      .operands = "NAME",
      .doc = topic_cat_doc,
      .example = "weir topic cat readings --from beginning --count 10",
      .flags = topic_cat_flags,
      .min_operands = 1,
      .max_operands = 1,
      .function = command_topic },
    { .name = "topic put",
      .summary = "Add messages to a topic, one a line",
      .operands = "NAME [FILE]",
      .doc = topic_put_doc,
      .example = "echo '{\"site\": \"A\", \"value\": 3}' | weir topic put readings --key site",
      .flags = topic_put_flags,
      .min_operands = 1,
      .max_operands = 2,
      .function = command_topic },
    { .name = "topic replay",
      .summary = "Put the messages of dead letters back to their topics",
      .operands = "LETTERS",
      .doc = topic_replay_doc,
      .example = "weir topic replay letters --where 'stream == \"late\"' --dry-run",
      .flags = topic_replay_flags,
      .min_operands = 1,
      .max_operands = 1,
      .function = command_topic },
    { .name = "topic describe",
      .summary = "Show what is kept of a topic and how far pipelines have read it",
      .operands = "NAME",
      .doc = topic_describe_doc,
      .example = "weir topic describe readings",
      .flags = topic_describe_flags,
      .min_operands = 1,
      .max_operands = 1,
      .function = command_topic },
    { .name = "topic trim",
      .summary = "Remove the oldest records of a topic",
      .operands = "NAME",
      .doc = topic_trim_doc,
      .example = "weir topic trim readings --before 2026-01-01T00:00:00Z",
      .flags = topic_trim_flags,
      .min_operands = 1,
      .max_operands = 1,
      .function = command_topic },
    { .name = "topic delete",
      .summary = "Remove a topic with all its records",
      .operands = "NAME",
      .doc = topic_delete_doc,
      .example = "weir topic delete readings",
      .flags = topic_delete_flags,
      .min_operands = 1,
      .max_operands = 1,
      .function = command_topic },
    { .name = "plugin list",
      .summary = "List the plugins that are found, and those that are refused and why",
      .operands = "",
      .doc =
          "Looks in the folders of $WEIR_PLUGIN_PATH, then in the installed one. Each plugin is\n"
          "loaded in a process of its own, so a broken one harms nothing.",
      .example = "weir plugin list",
      .function = command_plugin },
    { .name = "plugin inspect",
      .summary = "Show versions, licence, options and documentation of a plugin",
      .operands = "NAME|FILE.so",
      .doc = "NAME is a plugin's name, its id, or the name of anything that it brings.",
      .example = "weir plugin inspect filter",
      .flags = inspect_flags,
      .min_operands = 1,
      .max_operands = 1,
      .function = command_plugin },
    { .name = "plugin check",
      .summary = "Judge a plugin by the rules for plugins",
      .operands = "NAME|FILE.so",
      .doc =
          "A plugin loads, conforms or is exemplary: each grade has rules, and includes those\n"
          "of the grades before. Looks at the file and, in a process of its own, at its tables;\n"
          "nothing of it is run. Exit status 1 where it has not the grade that is asked for.",
      .example = "weir plugin check ./kilometres.so",
      .flags = plugin_check_flags,
      .min_operands = 1,
      .max_operands = 1,
      .function = command_plugin },
    { .name = "schema",
      .summary = "Write the JSON Schema of pipeline files, for editors",
      .operands = "[FILE]",
      .doc = "Keys, plugins and options with their documentation, as JSON Schema 2020-12. With "
             "FILE also\n"
             "the plugins that this pipeline file lists. Editors that know YAML take it with a "
             "first line\n"
             "such as\n"
             "\n"
             "    # yaml-language-server: $schema=weir.schema.json\n"
             "\n"
             "What one part of a file says about another, and expressions, only 'weir check' can "
             "judge.",
      .example = "weir schema > weir.schema.json",
      .flags = schema_flags,
      .max_operands = 1,
      .function = command_schema },
    { .name = "version",
      .summary = "Show the versions of program, plugin interface and libraries",
      .operands = "",
      .example = "weir version --json",
      .function = command_version },
    { .name = "help",
      .summary = "Show help about a command",
      .operands = "[COMMAND...]",
      .doc = "An installed weir completes in bash by itself. In zsh put into .zshrc, behind "
             "compinit:\n"
             "\n"
             "    source <(weir help --completion zsh)",
      .example = "weir help topic cat",
      .flags = help_flags,
      .max_operands = 2,
      .function = command_help },
    { .name = NULL },
};
