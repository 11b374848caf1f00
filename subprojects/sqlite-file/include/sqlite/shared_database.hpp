// A database in a file that several servers share, through all that can happen to the file.
#pragma once

#include "sqlite/database.hpp"
#include "sqlite/file.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace sqlite {

using clock = std::function<time_point()>;

/// Opened when it is needed, opened again when another server has put the file aside, put aside and begun anew when it
/// is damaged. One thread at a time.
class shared_database {
public:
  /// Nothing is opened or made before the first work.
  shared_database(std::string folder, const file_kind& kind, clock now);
  shared_database(const shared_database&) = delete;
  shared_database& operator=(const shared_database&) = delete;
  ~shared_database() { close(); }

  database& db() { return db_; }
  const std::string& path() const { return file_.path(); }
  bool exists() const { return db_.is_open() || file_.exists(); }
  /// Grows when what is in the database may be another one's than before.
  uint64_t openings() const { return openings_; }
  /// What a person should hear of, once: a damaged file was put aside. Empty: nothing.
  std::string take_warning();

  /// Has the work done, a second time with a new file if the first finds it damaged. Not `none`: the work has changed
  /// nothing, whatever it returned. A transaction that it has left open is rolled back.
  failure carry_out(const std::function<void()>& work);

private:
  failure be_open();
  void close();
  void mend_index();
  failure mend();
  failure put_aside();
  failure what_failed();
  failure damaged_twice() const;

  file_kind kind_;
  file file_;
  clock now_;
  database db_;
  uint64_t openings_ = 0;
  std::string warning_;
};

} // namespace sqlite
