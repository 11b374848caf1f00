#include "sqlite/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sqlite {

namespace fs = std::filesystem;

namespace {

/// What the log of a database keeps of its size when nothing is in it any more.
constexpr size_t log_bytes_max = 4u << 20;
constexpr int lock_look_ms = 2; // the lock is held while files are renamed

/// Only who holds it may open a file, put it into place or aside. It ends with its process at the latest.
struct folder_lock {
  explicit folder_lock(const std::string& folder) : fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    auto patience = fd >= 0 ? busy_max.count() / lock_look_ms : 0;
    for (; !is_held && patience > 0; --patience)
      if (is_held = ::flock(fd, LOCK_EX | LOCK_NB) == 0; !is_held)
        ::poll(nullptr, 0, lock_look_ms);
  }
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;
  ~folder_lock() {
    if (fd >= 0)
      ::close(fd);
  }
  int fd;
  bool is_held = false;
};

ino_t inode(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 ? s.st_ino : 0;
}

} // namespace

std::string iso_time(time_point t) {
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(t.time_since_epoch()).count();
  auto seconds = static_cast<std::time_t>(ms / 1'000);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[sizeof "2025-01-31T12:00:00"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return std::string{text} + "." + std::to_string(1'000 + ms % 1'000).substr(1) + "Z";
}

file::file(std::string folder, const file_kind& kind)
  : kind_(kind),
    folder_(std::move(folder)),
    path_(folder_ + "/" + kind.name),
    index_path_(path_ + "-shm") {}

bool file::exists() const { return inode(path_) != 0; }

failure file::failed(const std::string& doing, const std::string& why) const {
  return {failure_kind::unusable, path_ + ": " + doing + ": " + why};
}

failure file::make_folder() const {
  std::error_code ec;
  fs::create_directories(fs::path{folder_}.parent_path(), ec);
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    return failed("the folder can not be made", std::strerror(errno));
  return {};
}

failure file::busy() const { return {failure_kind::busy, path_ + " is being replaced by another server"}; }

/// Under another name first, then linked into place: no process ever sees half of it, whenever we are killed.
failure file::make_new() const {
  auto temporary = path_ + ".new-XXXXXX";
  int fd = ::mkstemp(temporary.data()); // for its owner alone; SQLite gives its log the same permissions
  if (fd < 0)
    return failed("can not be made", std::strerror(errno));
  ::close(fd);
  database db;
  db.open(temporary);
  db.execute("PRAGMA journal_mode = WAL");
  db.execute("BEGIN");
  db.execute(kind_.schema);
  db.execute(("PRAGMA application_id = " + std::to_string(kind_.application_id)).c_str());
  db.execute(("PRAGMA user_version = " + std::to_string(kind_.format)).c_str());
  db.execute("COMMIT");
  auto problem = db.ok() ? failure{} : failed("can not be made", db.problem());
  db.close();
  // Of a file that a user or program deleted: SQLite would take them for those of the new one.
  for (auto suffix : {"-wal", "-shm"})
    ::unlink((path_ + suffix).c_str());
  if (!problem && ::link(temporary.c_str(), path_.c_str()) != 0)
    problem = failed("can not be made", std::strerror(errno));
  for (auto suffix : {"", "-wal", "-shm"})
    ::unlink((temporary + suffix).c_str());
  return problem;
}

failure file::refuse_others() const {
  struct stat s;
  if (::lstat(path_.c_str(), &s) != 0 || S_ISREG(s.st_mode))
    return {};
  return failed("is left alone", S_ISLNK(s.st_mode) ? "it is a symbolic link" : "it is no regular file");
}

void file::note_index() {
  struct stat s;
  if (::lstat(index_path_.c_str(), &s) != 0 || !S_ISREG(s.st_mode))
    return;
  index_bytes_ = s.st_ino == index_ ? std::max(index_bytes_, s.st_size) : s.st_size;
  index_ = s.st_ino;
}

/// By its path: closing a descriptor of it would give up SQLite's locks.
void file::mend_index() const {
  struct stat s;
  bool is_short =
    index_ != 0 && ::lstat(index_path_.c_str(), &s) == 0 && s.st_ino == index_ && s.st_size < index_bytes_;
  // First what is left of its head goes: it would vouch for what is lost. With one byte the page it is in stays mapped.
  [[maybe_unused]] bool is_mended =
    is_short && ::truncate(index_path_.c_str(), 1) == 0 && ::truncate(index_path_.c_str(), index_bytes_) == 0;
}

void file::set_up(database& db) {
  auto log_limit = "PRAGMA journal_size_limit = " + std::to_string(log_bytes_max);
  db.execute("PRAGMA synchronous = NORMAL"); // a write survives our death; the last ones may not survive the machine's
  db.execute(log_limit.c_str());
}

void file::examine(database& db) const {
  statement header{db, "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"};
  if (header.row() && (header.integer(0) != kind_.application_id || header.integer(1) != kind_.format))
    db.fail_damaged(std::string{"it holds no "} + kind_.what);
  if (kind_.look == examination::header)
    return;
  statement check{db, "PRAGMA quick_check(1)"};
  if (check.row() && check.text(0) != "ok")
    db.fail_damaged(std::string{check.text(0)});
}

bool file::is_newer(database& db) const {
  statement header{db, "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"};
  return header.row() && header.integer(0) == kind_.application_id && header.integer(1) > kind_.format;
}

/// Under the lock of the folder. All of it happens or nothing; who has the file open goes on with what it knows of it,
/// or fails.
void file::upgrade(database& db) const {
  int64_t format = 0;
  {
    statement header{db, "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"};
    if (header.row() && header.integer(0) == kind_.application_id)
      format = header.integer(1);
  }
  if (format < 1 || format >= kind_.format || kind_.format != static_cast<int64_t>(kind_.upgrades.size()) + 1)
    return;
  db.execute("PRAGMA secure_delete = ON");
  db.execute("BEGIN IMMEDIATE");
  for (auto step = static_cast<size_t>(format) - 1; step < kind_.upgrades.size(); ++step)
    db.execute(kind_.upgrades[step]);
  db.execute(("PRAGMA user_version = " + std::to_string(kind_.format)).c_str());
  db.execute("COMMIT");
  db.execute("PRAGMA wal_checkpoint(TRUNCATE)"); // the file itself still has what was deleted
}

failure file::open(database& db) {
  if (auto problem = make_folder())
    return problem;
  folder_lock lock{folder_}; // no other process renames the file between our looks at it
  if (lock.fd < 0)
    return failed("the folder can not be opened", std::strerror(errno));
  if (!lock.is_held)
    return busy();
  if (auto problem = refuse_others())
    return problem;
  if (auto problem = inode(path_) == 0 ? make_new() : failure{})
    return problem;
  opened_ = inode(path_);
  // Not by a descriptor for reading: closing one would give up SQLite's locks.
  ::fchmodat(AT_FDCWD, path_.c_str(), 0600, AT_SYMLINK_NOFOLLOW);
  db.open(path_);
  set_up(db);
  if (is_newer(db)) {
    db.close();
    return failed("can not be used", std::string{"a newer version of "} + kind_.program + " made it");
  }
  upgrade(db);
  examine(db);
  return {};
}

bool file::is_current() const { return inode(path_) == opened_; }

failure file::put_aside(time_point now, std::string& name) {
  folder_lock lock{folder_};
  if (!lock.is_held)
    return busy();
  if (!is_current())
    return {};
  auto aside = path_ + ".damaged-" + iso_time(now);
  if (::rename(path_.c_str(), aside.c_str()) != 0)
    return failed("is damaged and can not be put aside", std::strerror(errno));
  for (auto suffix : {"-wal", "-shm"}) // a new file must not find the old one's log
    ::rename((path_ + suffix).c_str(), (aside + suffix).c_str());
  name = std::move(aside);
  return {};
}

} // namespace sqlite
