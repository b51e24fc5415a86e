/* SPDX-License-Identifier: MIT */
/*
 * YAML text to a tree with libfyaml's event parser. The library finds structure, text and marks;
 * everything that a user is told, and everything about the meaning of the tree, is ours.
 */
#include <libfyaml.h>
#include <string.h>

#include "pipeline/pipeline.h"
#include "pipeline/scalar_text.h"
#include "pipeline/yaml_fault.h"
#include "pipeline/yaml_tree.h"

/*
 * last_end  behind the last thing that was written: what the parser gives no place of its own (the
 *           header of a block scalar, an empty value) is looked for from here on
 * checked   up to here no line is indented by tabs
 */
struct yaml_reader {
    struct yaml_tree tree;
    size_t last_end;
    size_t checked;
    bool has_document;
};

struct token_text {
    const char *text; /* NULL: no such token */
    size_t len;
    size_t from;
    size_t to;
};

/* Where a token stands. Its text is left alone: the library reads beyond the file for tokens that it
 * makes for its own faults. */
static struct token_text read_marks(struct fy_token *token)
{
    struct token_text read = { 0 };
    if (token == NULL) {
        return read;
    }
    const struct fy_mark *from = fy_token_start_mark(token);
    const struct fy_mark *to = fy_token_end_mark(token);
    read.from = from != NULL ? from->input_pos : 0;
    read.to = to != NULL ? to->input_pos : read.from;
    return read;
}

static struct token_text read_token(struct fy_token *token)
{
    struct token_text read = read_marks(token);
    if (token != NULL) {
        read.text = fy_token_get_text(token, &read.len);
    }
    return read;
}

static struct place place_of(const struct yaml_reader *reader, size_t from, size_t to)
{
    size_t size = reader->tree.file->size;
    from = from < size ? from : size;
    to = to < size ? to : size;
    return (struct place){ reader->tree.file, (uint32_t)from,
                           to > from ? (uint32_t)(to - from) : 0 };
}

/* End of the line that `at` is in, without line break and blanks before it. */
static size_t line_end(const struct document_file *file, size_t at)
{
    size_t end = at;
    while (end < file->size && file->text[end] != '\n' && file->text[end] != '\r') {
        end++;
    }
    while (end > at && (file->text[end - 1] == ' ' || file->text[end - 1] == '\t')) {
        end--;
    }
    return end;
}

/* Moves over blanks, line breaks and comments. */
static size_t skip_space(const struct document_file *file, size_t at)
{
    while (at < file->size) {
        char c = file->text[at];
        if (c == '#') {
            at = line_end(file, at);
        } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            break;
        } else {
            at++;
        }
    }
    return at;
}

/* ---- scalars --------------------------------------------------------------------------------- */

static enum node_style style_of(struct fy_token *token)
{
    switch (fy_token_scalar_style(token)) {
    case FYSS_SINGLE_QUOTED:
        return STYLE_SINGLE;
    case FYSS_DOUBLE_QUOTED:
        return STYLE_DOUBLE;
    case FYSS_LITERAL:
        return STYLE_LITERAL;
    case FYSS_FOLDED:
        return STYLE_FOLDED;
    default:
        return STYLE_PLAIN;
    }
}

/* Where the `|` or `>` of a block scalar stands whose contents begin at `from`. */
static size_t find_header(const struct yaml_reader *reader, size_t from)
{
    const struct document_file *file = reader->tree.file;
    size_t at = skip_space(file, reader->last_end);
    while (at < from && file->text[at] != '|' && file->text[at] != '>') {
        at = skip_space(file, at + 1);
    }
    return at < from ? at : from;
}

/* Columns that the map or list is indented by which is being read. */
static size_t parent_indent(const struct yaml_reader *reader)
{
    const struct yaml_frame *frame = yaml_tree_frame(&reader->tree);
    size_t at = frame != NULL ? frame->made->node.place.offset : 0;
    size_t end = at;
    while (at > 0 && reader->tree.file->text[at - 1] != '\n' &&
           reader->tree.file->text[at - 1] != '\r') {
        at--;
    }
    return end - at;
}

/* Place, text and style of a scalar that is there. False: no memory. */
static bool fill_scalar(struct yaml_reader *reader, struct fy_token *token,
                        const struct token_text *read, struct node *node)
{
    const struct document_file *file = reader->tree.file;
    node->style = style_of(token);
    bool is_quoted = node->style == STYLE_SINGLE || node->style == STYLE_DOUBLE;
    bool is_block = node->style == STYLE_LITERAL || node->style == STYLE_FOLDED;
    size_t from = is_quoted  ? read->from - 1
                  : is_block ? find_header(reader, read->from)
                             : read->from;
    size_t to = is_quoted ? read->to + 1 : is_block ? line_end(file, from) : read->to;
    if (is_block) {
        yaml_fault_check_tabs(&reader->tree, reader->checked, from);
        reader->checked = read->to;
    }
    node->place = place_of(reader, from, to);
    reader->last_end = is_block ? read->to : to;
    struct scalar_source source = { file->text, node->style, from,
                                    read->from, read->to,    is_block ? parent_indent(reader) : 0 };
    return scalar_text_read(reader->tree.arena, &source, node);
}

/* Nothing was written where a value is expected. */
static void fill_empty(struct yaml_reader *reader, struct node *node)
{
    const struct yaml_frame *frame = yaml_tree_frame(&reader->tree);
    const struct document_file *file = reader->tree.file;
    bool is_value = frame != NULL && frame->key != NULL;
    bool is_item = frame != NULL && frame->made->node.kind == NODE_LIST;
    size_t at = skip_space(file, reader->last_end);
    node->is_empty = true;
    node->text = "";
    if (at < file->size &&
        ((is_value && file->text[at] == ':') || (is_item && file->text[at] == '-'))) {
        reader->last_end = at + 1;
    }
    node->place = place_of(reader, reader->last_end, reader->last_end);
}

static void check_tag(struct yaml_reader *reader, struct fy_token *tag)
{
    struct token_text read = read_marks(tag);
    if (tag == NULL) {
        return;
    }
    const char *written = reader->tree.file->text + read.from;
    int len = (int)(read.to - read.from);
    bool is_word = len > 1 && written[1] != '!' && written[1] != '<';
    diagnostics_add(reader->tree.diagnostics, SEVERITY_ERROR, place_of(reader, read.from, read.to),
                    "'%.*s' is a tag, which has no meaning here; %s%.*s%s", len, written,
                    is_word ? "remove it, or in an expression write 'not " : "remove it",
                    is_word ? len - 1 : 0, written + 1, is_word ? "'" : "");
    reader->last_end = read.to;
}

/* `!late`: the tag has been reported; what stands there is read as if it were a text. */
static void fill_tagged(struct yaml_reader *reader, struct fy_token *tag, struct node *node)
{
    struct token_text read = read_marks(tag);
    node->place = place_of(reader, read.from, read.to);
    node->text =
        arena_copy(reader->tree.arena, reader->tree.file->text + read.from, read.to - read.from);
    node->text_len = read.to - read.from;
    while (node->text != NULL && node->text_len > 1 && node->text[0] == '!') {
        node->text++;
        node->text_len--;
        node->place.offset++;
        node->place.length--;
    }
    if (node->text == NULL) {
        node->text = "";
        node->text_len = 0;
        reader->tree.diagnostics->is_out_of_memory = true;
    }
}

static struct token_text read_properties(struct yaml_reader *reader, struct fy_token *anchor,
                                         struct fy_token *tag)
{
    check_tag(reader, tag);
    struct token_text name = read_token(anchor);
    if (name.text != NULL && name.to > reader->last_end) {
        reader->last_end = name.to;
    }
    return name;
}

static void read_scalar(struct yaml_reader *reader, const struct fy_event_scalar_data *event)
{
    struct node node = { .kind = NODE_SCALAR };
    struct token_text anchor = read_properties(reader, event->anchor, event->tag);
    struct token_text read = read_marks(event->value);
    bool is_empty =
        event->value == NULL || (read.from == read.to && style_of(event->value) == STYLE_PLAIN);
    if (is_empty && event->tag != NULL) {
        fill_tagged(reader, event->tag, &node);
    } else if (is_empty) {
        fill_empty(reader, &node);
    } else if (!fill_scalar(reader, event->value, &read, &node)) {
        reader->tree.is_broken = true;
        reader->tree.diagnostics->is_out_of_memory = true;
        return;
    }
    yaml_tree_scalar(&reader->tree, &node, anchor.text, anchor.len);
}

/* ---- everything else ------------------------------------------------------------------------- */

static void read_alias(struct yaml_reader *reader, struct fy_token *token)
{
    struct token_text name = read_token(token);
    yaml_tree_alias(&reader->tree, place_of(reader, name.from - 1, name.to), name.text, name.len);
    reader->last_end = name.to;
}

static void read_begin(struct yaml_reader *reader, enum node_kind kind, struct fy_token *start,
                       struct fy_token *anchor, struct fy_token *tag)
{
    const struct document_file *file = reader->tree.file;
    struct token_text name = read_properties(reader, anchor, tag);
    struct token_text read = read_marks(start);
    char sign = read.from < file->size ? file->text[read.from] : '\0';
    bool is_flow = read.to > read.from && sign == (kind == NODE_LIST ? '[' : '{');
    size_t end = is_flow ? read.to : line_end(file, read.from);
    yaml_tree_begin(&reader->tree, kind, place_of(reader, read.from, end), is_flow, name.text,
                    name.len);
    if (read.to > reader->last_end) {
        reader->last_end = read.to;
    }
}

static void read_end(struct yaml_reader *reader, struct fy_token *end)
{
    const struct yaml_frame *frame = yaml_tree_frame(&reader->tree);
    struct token_text read = read_marks(end);
    if (frame->is_flow) {
        reader->last_end = read.to;
    }
    yaml_tree_end(&reader->tree, read.to);
}

static void read_document(struct yaml_reader *reader,
                          const struct fy_event_document_start_data *event)
{
    struct token_text read = read_marks(event->document_start);
    struct place place = place_of(reader, read.from, read.to);
    const struct fy_version *version = fy_document_state_version(event->document_state);
    if (reader->has_document) {
        yaml_tree_break(&reader->tree, place,
                        "a second document begins here; a pipeline file holds one: put the others "
                        "into files of their own");
    } else if (version != NULL && (version->major != 1 || version->minor != 2)) {
        yaml_tree_break(&reader->tree, place_of(reader, 0, line_end(reader->tree.file, 0)),
                        "the file must be YAML 1.2; remove the '%YAML' line");
    }
    reader->has_document = true;
}

static void read_event(struct yaml_reader *reader, const struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        read_document(reader, &event->document_start);
        break;
    case FYET_SCALAR:
        read_scalar(reader, &event->scalar);
        break;
    case FYET_ALIAS:
        read_alias(reader, event->alias.anchor);
        break;
    case FYET_SEQUENCE_START:
        read_begin(reader, NODE_LIST, event->sequence_start.sequence_start,
                   event->sequence_start.anchor, event->sequence_start.tag);
        break;
    case FYET_MAPPING_START:
        read_begin(reader, NODE_MAP, event->mapping_start.mapping_start,
                   event->mapping_start.anchor, event->mapping_start.tag);
        break;
    case FYET_SEQUENCE_END:
        read_end(reader, event->sequence_end.sequence_end);
        break;
    case FYET_MAPPING_END:
        read_end(reader, event->mapping_end.mapping_end);
        break;
    default:
        break;
    }
}

/* The library would print to standard error what nobody takes. */
static void take_output(struct fy_diag *diag, void *user, const char *text, size_t len)
{
    (void)diag;
    (void)user;
    (void)text;
    (void)len;
}

static struct fy_diag *create_diag(void)
{
    struct fy_diag_cfg config;
    fy_diag_cfg_default(&config);
    config.fp = NULL;
    config.output_fn = take_output;
    config.level = FYET_ERROR;
    struct fy_diag *diag = fy_diag_create(&config);
    if (diag != NULL) {
        fy_diag_set_collect_errors(diag, true);
    }
    return diag;
}

static void report_fault(struct yaml_reader *reader, struct fy_diag *diag)
{
    void *walk = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &walk);
    while (error != NULL && error->type != FYET_ERROR) {
        error = fy_diag_errors_iterate(diag, &walk);
    }
    size_t end = reader->last_end;
    struct token_text read = { .from = end, .to = end };
    if (error != NULL && error->fyt != NULL) {
        read = read_marks(error->fyt);
        size_t size = reader->tree.file->size; /* where marks of such a token may not end */
        read.from = read.from < size ? read.from : size;
        read.to = read.to < size ? read.to : size;
    }
    if (!yaml_fault_check_tabs(&reader->tree, reader->checked,
                               line_end(reader->tree.file, read.to))) {
        yaml_fault_report(&reader->tree, error != NULL ? error->msg : "not readable", read.from,
                          read.to);
    }
}

/* Runs the parser over the file. False: it could not be had. */
static bool read_events(struct yaml_reader *reader, struct fy_diag *diag)
{
    const struct document_file *file = reader->tree.file;
    const struct fy_parse_cfg config = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
        .diag = diag,
    };
    struct fy_parser *parser = fy_parser_create(&config);
    if (parser == NULL || fy_parser_set_string(parser, file->text, file->size) != 0) {
        fy_parser_destroy(parser);
        return false;
    }
    struct fy_event *event = NULL;
    while (!reader->tree.is_broken && (event = fy_parser_parse(parser)) != NULL) {
        read_event(reader, event);
        fy_parser_event_free(parser, event);
    }
    if (!reader->tree.is_broken && fy_parser_get_stream_error(parser)) {
        report_fault(reader, diag);
    } else if (!reader->tree.is_broken) {
        yaml_fault_check_tabs(&reader->tree, reader->checked, file->size);
    }
    fy_parser_destroy(parser);
    return true;
}

const struct node *yaml_parse(const struct document_file *file, struct arena *arena,
                              struct diagnostics *diagnostics)
{
    struct yaml_reader reader = { 0 };
    yaml_tree_init(&reader.tree, file, arena, diagnostics);
    if (yaml_fault_check_text(&reader.tree)) {
        struct fy_diag *diag = create_diag();
        if (diag == NULL || !read_events(&reader, diag)) {
            reader.tree.is_broken = true;
            diagnostics->is_out_of_memory = true;
        }
        fy_diag_destroy(diag);
    }
    const struct node *root = reader.tree.is_broken ? NULL : reader.tree.root;
    if (root == NULL && !reader.tree.is_broken) {
        yaml_tree_break(&reader.tree, (struct place){ file, 0, 0 },
                        "the file is empty; a pipeline begins with 'pipeline: NAME'");
    }
    yaml_tree_deinit(&reader.tree);
    return root;
}
