#include "sqlite/database.hpp"

#include <sqlite3.h>

#include <utility>

namespace sqlite {

void database::open(const std::string& path) {
  close();
  fail(sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr));
  if (!ok())
    return;
  sqlite3_busy_timeout(handle_, static_cast<int>(busy_max.count()));
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // Another program may have put another file there.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

void database::close() {
  sqlite3_close_v2(std::exchange(handle_, nullptr));
  code_ = SQLITE_OK;
  problem_.clear();
}

void database::fail(int code) {
  code &= 0xff; // the primary code
  if (!ok() || code == SQLITE_OK)
    return;
  code_ = code;
  problem_ = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
}

void database::fail_damaged(std::string why) {
  if (!ok())
    return;
  code_ = SQLITE_CORRUPT;
  problem_ = std::move(why);
}

bool database::is_damaged() const { return code_ == SQLITE_CORRUPT || code_ == SQLITE_NOTADB; }

bool database::is_busy() const { return code_ == SQLITE_BUSY || code_ == SQLITE_LOCKED; }

void database::execute(const char* sql) {
  if (ok())
    fail(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr));
}

int64_t database::changes() const { return handle_ ? sqlite3_changes64(handle_) : 0; }

void database::recover() {
  if (handle_ && sqlite3_get_autocommit(handle_) == 0)
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  code_ = SQLITE_OK;
  problem_.clear();
}

statement::statement(database& db, const char* sql) : db_(db) {
  if (db_.ok())
    db_.fail(sqlite3_prepare_v2(db_.handle_, sql, -1, &handle_, nullptr));
}

statement::~statement() { sqlite3_finalize(handle_); }

statement& statement::bind(std::string_view text) {
  if (db_.ok())
    db_.fail(sqlite3_bind_blob64(handle_, ++bound_, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC));
  return *this;
}

statement& statement::bind(int64_t number) {
  if (db_.ok())
    db_.fail(sqlite3_bind_int64(handle_, ++bound_, number));
  return *this;
}

bool statement::row() {
  if (!db_.ok())
    return false;
  auto code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    db_.fail(code);
  return code == SQLITE_ROW;
}

void statement::again() {
  sqlite3_reset(handle_); // its result is that of the last step, which was looked at
  bound_ = 0;
}

int64_t statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

std::string_view statement::text(int column) const {
  auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return data ? std::string_view{data, static_cast<size_t>(sqlite3_column_bytes(handle_, column))} : std::string_view{};
}

} // namespace sqlite
