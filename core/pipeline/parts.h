/* SPDX-License-Identifier: MIT */
/*
 * The parts of a pipeline file in the order in which they are resolved: each may rely on those
 * before it.
 */
#ifndef PIPELINE_PARTS_H
#define PIPELINE_PARTS_H

#include "pipeline/plugin_spot.h"

/* What the top level says about its larger parts; NULL where it does not have them. */
struct top_level {
    const struct node *plugins;
    const struct node *topics;
    const struct node *streams;
    struct place memory; /* of the budget */
    const struct node *dead_letters;
    const struct node *kafka;
};

/* Name, log, checkpoint and the other values of the top level go into the pipeline. */
void top_level_read(struct resolver *resolver, const struct node *root, struct top_level *ret);
/* Reports what is wrong with a log that begins with "kafka:". */
void kafka_log_check(struct resolver *resolver, struct place place, const char *url);
/* `kafka:`, once guarantee and log are known. */
void kafka_read(struct resolver *resolver, const struct node *map);
/* Whether epochs are shorter than transactions may be; place: of what says so where no property does */
void kafka_check_interval(struct resolver *resolver, struct place place);
/*
 * What an entry of `topics:` says for the case that its topic is made on Kafka. options: of the entry;
 * replication 0, config without items: not given
 */
void kafka_topic_read(struct resolver *resolver, const struct topic *topic,
                      const struct node *options, int64_t replication,
                      const weir_option_map *config);
/* Loads what `plugins:` lists. */
void plugin_list_load(struct resolver *resolver, const struct node *list);
void topics_read(struct resolver *resolver, const struct node *topics);

/* Makes all streams known by name; then resolves each. */
void streams_declare(struct resolver *resolver, const struct node *streams);
void streams_resolve(struct resolver *resolver);
/* Adds what a stream reads. port: 0 under `from`, else the input of the step; a name that is no stream is
 * reported. */
void input_add(struct resolver *resolver, struct stream *stream, const struct stream_input *input);
/* Reports what stands twice among the inputs from `first` on. */
void inputs_check_doubles(struct resolver *resolver, const struct stream *stream, size_t first);
/* The streams that the options of a step name. */
void step_inputs_read(struct resolver *resolver, struct stream *stream, size_t step);
/* The parts of one stream. */
void from_read(struct resolver *resolver, struct stream *stream, const struct node *from);
void steps_read(struct resolver *resolver, struct stream *stream, const struct node *steps);
void ends_read(struct resolver *resolver, struct stream *stream, const struct node *to);
/* The topics that an end in front of topics may write to, and how it chooses. */
void end_topics_read(struct resolver *resolver, const struct written *written, struct end *end);
/* One end. Returns the base of its id. spot: sink_spot or letters_spot. stream: its name; NULL: it is of none. */
const char *end_read(struct resolver *resolver, const struct plugin_spot *spot, const char *where,
                     const char *stream, const struct node *node, struct end *end);
/* Names of the outputs of a step whose options are filled. False after a report. */
bool outputs_read(struct resolver *resolver, struct plugin_use *step);
struct draft *stream_draft(struct resolver *resolver, const struct stream *stream);

/* Once all streams are resolved: finds the outputs that STREAM.OUTPUT names, and what stands where it
 * cannot tell which of several outputs it means. */
void outputs_resolve(struct resolver *resolver);
/* Once all streams are resolved: the end for dead letters. node NULL: the file names none. */
void dead_letters_read(struct resolver *resolver, const struct node *node);
/* Once all streams are resolved: where each source's records go. */
void source_topics_assign(struct resolver *resolver);
/* Once those are known: the topics behind steps that give records another place. */
void repartition_topics_assign(struct resolver *resolver);
/* True where the step is such a one. */
bool step_repartitions(const struct plugin_use *step);
/* Makes room for `more` topics behind those that there are. False: no memory. */
bool topics_grow(struct resolver *resolver, size_t more);
/* Loops over streams (faults) and over topics (warnings). */
void cycles_check(struct resolver *resolver);
/* Topics of different partition counts that meet at a step with several inputs. */
void partitions_check(struct resolver *resolver);
/* What is said to go on under another name. */
void was_check(struct resolver *resolver);
/* Once all sources and sinks are known: the budget of memory at this place. */
void memory_check(struct resolver *resolver, struct place place);
/* Topics and streams that do nothing. */
void unused_check(struct resolver *resolver);
/* Two ends of one kind that write to one path. */
void sink_paths_check(struct resolver *resolver);

#endif
