// SQLite with errors that stay: after the first one nothing more is done, and the caller looks once, at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace sqlite {

/// A lock that another program holds is waited for so long.
inline constexpr std::chrono::milliseconds busy_max{1'000};

class database {
public:
  database() = default;
  database(const database&) = delete;
  database& operator=(const database&) = delete;
  ~database() { close(); }

  /// An existing file. Forgets an earlier error.
  void open(const std::string& path);
  void close();
  bool is_open() const { return handle_ != nullptr; }

  /// One or more statements without results.
  void execute(const char* sql);
  /// Rows that the last statement changed.
  int64_t changes() const;
  bool ok() const { return code_ == 0; }
  /// The file is no database, or its structure is broken.
  bool is_damaged() const;
  /// Another connection was writing for too long.
  bool is_busy() const;
  const std::string& problem() const { return problem_; }
  void fail_damaged(std::string why);
  /// What failed is rolled back, and the next request starts anew.
  void recover();

private:
  friend class statement;
  void fail(int code);

  sqlite3* handle_ = nullptr;
  int code_ = 0;
  std::string problem_;
};

/// Texts are bound and read as blobs: compared byte by byte, whatever they contain.
class statement {
public:
  statement(database& db, const char* sql);
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;
  ~statement();

  /// The next parameter. The text has to live until the last row is read.
  statement& bind(std::string_view text);
  statement& bind(int64_t number);
  /// Steps to the next row; false: there is none, or an error.
  bool row();
  /// To be run once more with other values.
  void again();
  /// For statements without rows.
  void run() { row(); }
  int64_t integer(int column) const;
  /// Valid until the next row.
  std::string_view text(int column) const;

private:
  database& db_;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
};

} // namespace sqlite
