/* SPDX-License-Identifier: MIT */
#include "file_token.h"

/*
 * A version byte, the folder's identity, then the facts. Of each: state, 1 byte; length of the topic's name and the name;
 * partition, first and last offset, length, time, generation. Numbers have 8 bytes, least significant first.
 * Two older versions can still be read.
 */
enum { VERSION = 3, VERSION_WITHOUT_HOME = 2, VERSION_WITHOUT_GENERATION = 1 };

static weir_status put_number(weir_buffer *out, uint64_t number)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(number >> (i * 8));
    }
    return weir_buffer_append(out, bytes, sizeof bytes);
}

weir_status file_token_begin(weir_buffer *out, uint64_t home)
{
    const uint8_t version = VERSION;
    weir_status st = weir_buffer_append(out, &version, 1);
    return st == WEIR_OK ? put_number(out, home) : st;
}

weir_status file_token_add(weir_buffer *out, const struct file_fact *fact)
{
    const uint8_t state = (uint8_t)fact->state;
    const struct tree_file *file = &fact->file;
    const uint64_t numbers[] = { (uint64_t)file->partition,   (uint64_t)file->first_offset,
                                 (uint64_t)fact->last_offset, fact->length,
                                 (uint64_t)fact->first_ms,    file->generation };
    weir_status st = weir_buffer_append(out, &state, 1);
    if (st == WEIR_OK) {
        st = put_number(out, file->topic_len);
    }
    if (st == WEIR_OK) {
        st = weir_buffer_append(out, file->topic, file->topic_len);
    }
    for (unsigned i = 0; st == WEIR_OK && i < sizeof numbers / sizeof numbers[0]; i++) {
        st = put_number(out, numbers[i]);
    }
    return st;
}

/* NULL: so many bytes are not left. */
static const uint8_t *take(struct file_token_reader *reader, uint64_t size)
{
    if (size > reader->left.size) {
        reader->is_bad = true;
        return NULL;
    }
    const uint8_t *bytes = reader->left.data;
    reader->left.data += size;
    reader->left.size -= size;
    return bytes;
}

static uint64_t take_number(struct file_token_reader *reader)
{
    const uint8_t *bytes = take(reader, 8);
    uint64_t number = 0;
    for (unsigned i = 0; bytes != NULL && i < 8; i++) {
        number |= (uint64_t)bytes[i] << (i * 8);
    }
    return number;
}

void file_token_open(struct file_token_reader *reader, weir_slice token)
{
    *reader = (struct file_token_reader){ .left = token };
    if (token.size > 0) {
        reader->version = *take(reader, 1);
        reader->home = reader->version == VERSION ? take_number(reader) : 0;
        reader->is_bad |= reader->version < VERSION_WITHOUT_GENERATION || reader->version > VERSION;
    }
}

bool file_token_next(struct file_token_reader *reader, struct file_fact *ret_fact)
{
    if (reader->is_bad || reader->left.size == 0) {
        return false;
    }
    const uint8_t *state = take(reader, 1);
    uint64_t topic_len = take_number(reader);
    const uint8_t *topic = take(reader, topic_len);
    struct file_fact fact = { .file = { .topic = (const char *)topic,
                                        .topic_len = (uint32_t)topic_len } };
    fact.state = *state == FILE_FINISHED ? FILE_FINISHED : FILE_OPEN;
    fact.file.partition = (int32_t)take_number(reader);
    fact.file.first_offset = (int64_t)take_number(reader);
    fact.last_offset = (int64_t)take_number(reader);
    fact.length = take_number(reader);
    fact.first_ms = (int64_t)take_number(reader);
    fact.file.generation = reader->version > VERSION_WITHOUT_GENERATION ? take_number(reader) : 0;
    reader->is_bad |= *state > FILE_FINISHED || topic_len > UINT32_MAX;
    if (reader->is_bad) {
        return false;
    }
    *ret_fact = fact;
    return true;
}

bool file_token_names(weir_slice token, const struct tree_file *file)
{
    struct file_token_reader reader;
    struct file_fact fact;
    file_token_open(&reader, token);
    while (file_token_next(&reader, &fact)) {
        if (tree_is_same(&fact.file, file)) {
            return true;
        }
    }
    return false;
}
