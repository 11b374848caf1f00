// A database in our state folder, with faults that say what a user can do.
#pragma once

#include "messages/errors.hpp"
#include "messages/limits.hpp"
#include "sqlite/shared_database.hpp"

#include <optional>
#include <string>

namespace process {

static_assert(sqlite::busy_max < msg::limits::shutdown_max,
              "the thread that waits for a database is joined at the end");

/// See sqlite::shared_database. One thread at a time.
class shared_database {
public:
  /// Nothing is opened or made before the first work. `folder` may be empty: then all work fails.
  shared_database(const std::string& folder, const sqlite::file_kind& kind, sqlite::clock now);

  sqlite::database& db() { return database_.db(); }
  const std::string& path() const { return database_.path(); }
  bool exists() const { return database_.exists(); }
  uint64_t openings() const { return database_.openings(); }
  std::string take_warning() { return database_.take_warning(); }

  /// The result of `work` is a fault, or an outcome; what is refused is rolled back. Work may be done twice: the first
  /// time, the database was damaged.
  template <class Work>
  auto carry_out(const Work& work) -> decltype(work()) {
    if (!has_folder_)
      return no_folder();
    std::optional<decltype(work())> result;
    if (auto why = database_.carry_out([&] { result.emplace(work()); }))
      return fault_of(why);
    return std::move(*result);
  }

private:
  msg::fault no_folder() const;
  static msg::fault fault_of(const sqlite::failure& why);

  std::string what_;
  bool has_folder_;
  sqlite::shared_database database_;
};

} // namespace process
