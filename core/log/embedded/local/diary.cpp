// SPDX-License-Identifier: MIT
#include "log/embedded/local/diary.h"

#include <memory>

#include <rocksdb/db.h>
#include <rocksdb/env.h>

// What the C interface hides behind this name, as in its own source.
struct rocksdb_logger_t {
    std::shared_ptr<rocksdb::Logger> rep;
};

namespace
{

class Silence : public rocksdb::Logger
{
  public:
    using rocksdb::Logger::Logv;
    void Logv(const char *, va_list) override
    {
    }
};

} // namespace

void diary_silence(rocksdb_options_t *options)
{
    rocksdb_logger_t silence{ std::make_shared<Silence>() };
    rocksdb_options_set_info_log(options, &silence);
}
