/* SPDX-License-Identifier: MIT */
/*
 * What the YAML parser complains about, said in the words of somebody who writes a pipeline: where
 * the expression language and YAML claim the same sign, the sentence names the trap and the way
 * out.
 */
#ifndef PIPELINE_YAML_FAULT_H
#define PIPELINE_YAML_FAULT_H

#include "pipeline/yaml_tree.h"

/*
 * Reports the parser's fault and marks the tree as broken.
 *
 * message   of the parser
 * from, to  bytes of the file that it points to
 */
void yaml_fault_report(struct yaml_tree *tree, const char *message, size_t from, size_t to);

/* Reports what no parser need be asked for: size, UTF-8, control characters. False: something is.
 */
bool yaml_fault_check_text(struct yaml_tree *tree);

/*
 * Reports the first line in [from, to) that tabs indent; false: none does. Whoever calls it leaves
 * the contents of block scalars out.
 */
bool yaml_fault_check_tabs(struct yaml_tree *tree, size_t from, size_t to);

#endif
