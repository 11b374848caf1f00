#include "sqlite/shared_database.hpp"

#include <utility>

namespace sqlite {

shared_database::shared_database(std::string folder, const file_kind& kind, clock now)
  : kind_(kind),
    file_(std::move(folder), kind),
    now_(std::move(now)) {}

std::string shared_database::take_warning() { return std::exchange(warning_, {}); }

failure shared_database::carry_out(const std::function<void()>& work) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    mend_index();
    if (auto problem = be_open())
      return problem;
    work();
    file_.note_index();
    if (db_.ok()) {
      db_.recover(); // what was refused leaves its transaction open
      return {};
    }
    if (auto problem = mend())
      return problem;
  }
  return damaged_twice();
}

/// The last one to close the file looks into the index of its log.
void shared_database::close() {
  mend_index();
  db_.close();
}

/// Of a file that is not open the index is not ours: another server may be making it now, and have the same inode for
/// it.
void shared_database::mend_index() {
  if (db_.is_open())
    file_.mend_index();
}

failure shared_database::be_open() {
  if (db_.is_open() && file_.is_current())
    return {};
  ++openings_;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (auto problem = file_.open(db_); problem)
      return problem;
    if (db_.ok())
      return {};
    if (auto problem = mend(); problem)
      return problem;
  }
  return damaged_twice();
}

/// `none`: it can be tried again.
failure shared_database::mend() { return db_.is_damaged() ? put_aside() : what_failed(); }

failure shared_database::put_aside() {
  auto why = db_.problem();
  close();
  ++openings_;
  std::string name;
  auto problem = file_.put_aside(now_(), name);
  if (!name.empty())
    warning_ = std::string{"the "} + kind_.what + " in " + path() + " is damaged (" + why + "); it was put aside as "
               + name + ", and a new one begun" + kind_.after_loss;
  return problem;
}

/// What went wrong in the database, and nothing of the work has happened.
failure shared_database::what_failed() {
  auto why = db_.problem();
  bool is_busy = db_.is_busy();
  close(); // whatever it was, the next work begins anew
  return is_busy ? failure{failure_kind::busy, std::string{"the "} + kind_.what + " is being written by another server"}
                 : failure{failure_kind::failed, path() + ": " + why};
}

failure shared_database::damaged_twice() const {
  return {failure_kind::failed, path() + " was damaged twice in a row; check the disk"};
}

} // namespace sqlite
