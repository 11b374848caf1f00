#include "audit/verify.hpp"

#include "audit/head.hpp"
#include "audit/key.hpp"
#include "audit/line.hpp"
#include "audit/reader.hpp"

#include <algorithm>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

namespace audit {

namespace fs = std::filesystem;

namespace {

/// Problems, and notes, that are told; the others are counted.
constexpr size_t told_max = 100;

/// How long one waits for a server that is writing; each write takes a millisecond.
constexpr int lock_tries = 200, lock_look_ms = 10;

/// What there is at one moment: no server is between writing lines and saying so.
struct moment {
  head_record head;
  std::string last_file; ///< and how long it is; what is written later is not looked at
  uint64_t size = UINT64_MAX;
  bool is_locked = false;
};

moment look(const place& where, const std::string& key) {
  moment out;
  process::descriptor head{::open(head_file(where).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  for (int tries = head ? lock_tries : 0; tries > 0 && !out.is_locked; --tries)
    if (out.is_locked = ::flock(head.get(), LOCK_SH | LOCK_NB) == 0; !out.is_locked)
      ::poll(nullptr, 0, lock_look_ms);
  if (head)
    out.head = read_head(head.get(), key);
  auto names = files_of(where);
  std::error_code ec;
  if (!names.empty()) {
    out.last_file = names.back();
    out.size = fs::file_size(path_of(where, out.last_file), ec);
  }
  return out;
}

class verifier {
public:
  enum class extent : uint8_t { all, one_file };

  verifier(const place& where, const std::string& key, extent how)
    : where_(where),
      has_key_(!key.empty()),
      is_all_(how == extent::all),
      at_(look(where, key)) {}

  void read(const std::string& path, const std::string& name) {
    if (is_all_ && name > at_.last_file)
      return;
    ++out_.files;
    if (name == head_.last.file)
      has_head_file_ = true;
    reader in{path, reader::digests::wanted};
    auto end = name == at_.last_file ? at_.size : UINT64_MAX;
    for (read_line line; in.place() < end && in.next(line);) {
      take(name, line);
      end_ = {last_.digest, name, in.place()};
    }
    if (!in.problem().empty())
      problem({name, 0, "it can not be read: " + in.problem()});
  }

  verdict finish() {
    if (last_.is_torn)
      note({last_.file, last_.line, "cut in the middle: the process was killed, or is writing it just now"});
    bool expects_head =
      !head_.last.digest.empty() && out_.files > 0 && (is_all_ ? head_.last.file >= first_file_ : has_head_file_);
    if (expects_head && !has_head_line_)
      problem({head_.last.file, last_.file == head_.last.file ? last_.line : 0,
               "the last line that was written is missing or changed, or others before it"});
    check_seal();
    return std::move(out_);
  }

private:
  struct seen {
    std::string file;
    uint64_t line = 0; ///< 0: there was none
    std::string digest;
    bool is_torn = false; ///< it has no end as ours have
  };

  void problem(finding f) {
    if (++out_.problem_count <= told_max)
      out_.problems.push_back(std::move(f));
  }

  void note(finding f) {
    if (out_.notes.size() < told_max)
      out_.notes.push_back(std::move(f));
  }

  void check_seal() {
    auto name = fs::path{head_file(where_)}.filename().string();
    bool is_nothing = out_.lines == 0 && head_.last.digest.empty();
    if (is_nothing && has_key_ && is_all_)
      note({name, 0,
            "there is a key of yours and no record: nothing was written here yet, or somebody has removed all of it"});
    if (head_.seal == seal_state::unchecked)
      note({name, 0, "its seal is not checked: the key of the server that wrote it is not here"});
    else if (has_key_ && !is_nothing && head_.seal != seal_state::good)
      return problem(
        {name, 0,
         head_.last.digest.empty()
           ? "there is no head file, though there is a key: somebody has removed it"
           : "it is not sealed with the key of this state folder: somebody else has written it, or changed it"});
    else if (head_.last.digest.empty() && out_.lines > 0)
      note({last_.file, last_.line, "there is no head file: lines that are missing at the end can not be found"});
    if (is_all_ && !head_.begun_anew.empty())
      note({name, 0,
            "the record was begun at " + head_.begun_anew
              + " with a key that was there before: an older one is elsewhere, "
                "was moved away, or somebody has removed it"});
    if (is_all_ && !head_.sealed_since.empty())
      note({name, 0,
            "it is sealed since " + head_.sealed_since
              + " only: an older version has written what is before, or one without a key, or somebody has removed the "
                "key"});
    if (is_all_ && head_.begin == doubtful_begin)
      problem(
        {name, 0, "at some time it was missing or not sealed: who has written the lines before that is not known"});
    bool is_sealed = is_all_ && head_.seal == seal_state::good && at_.is_locked && out_.problem_count == 0;
    if (is_sealed && out_.files == 0 && where_.file.empty())
      problem({head_.last.file, 0, "all files are missing"});
    if (is_sealed && out_.lines > 0 && !may_end_so(head_, end_) && !head_.last.digest.empty())
      problem({last_.file, last_.line,
               "somebody else has added lines behind the last one that a server of yours has written"});
  }

  /// The first line of all. What came before it is not here, because nothing did, or because a server of ours has
  /// removed it when it was too old.
  void compare_first(const std::string& name, uint64_t number, const std::string& before) {
    bool is_known = is_all_ && where_.file.empty() && !head_.begin.empty() && head_.begin != doubtful_begin;
    if (is_known && before != head_.begin && before != head_.begin_soon)
      problem(
        {name, number, "what came before this line was removed, and not by a server of yours because it was too old"});
    else if (before != no_line_before)
      note({name, number, "what came before this line is not here; files expire"});
  }

  void take(const std::string& name, read_line& line) {
    ++out_.lines;
    if (first_file_.empty())
      first_file_ = name;
    bool is_torn = !line.is_whole || !line.is_ended || !line.text.ends_with('}');
    auto before = digest_before(line.text);
    if (!before.empty())
      compare(name, line.number, std::string{before});
    else if (!is_torn)
      problem({name, line.number, "this is no line of the record"});
    has_head_line_ = has_head_line_ || line.digest == head_.last.digest;
    last_ = {name, line.number, std::move(line.digest), is_torn};
  }

  void compare(const std::string& name, uint64_t number, const std::string& before) {
    if (last_.line == 0) {
      compare_first(name, number, before);
    } else if (before != last_.digest) {
      auto where =
        last_.file == name ? "line " + std::to_string(last_.line) : last_.file + " line " + std::to_string(last_.line);
      problem({name, last_.file == name && last_.is_torn ? last_.line : number,
               last_.is_torn
                 ? where + " was cut or changed"
                 : where + " was changed, or lines between it and this one are missing or in another order"});
    } else if (last_.is_torn) {
      note({last_.file, last_.line, "cut in the middle: the process was killed while it wrote this"});
    }
  }

  const place& where_;
  bool has_key_;
  bool is_all_;
  moment at_;
  const head_record& head_ = at_.head;
  file_end end_; ///< of the file that was read last
  verdict out_;
  seen last_;
  std::string first_file_;
  bool has_head_file_ = false;
  bool has_head_line_ = false;
};

} // namespace

msg::outcome<verdict> verify(const place& where, const std::string& key) {
  auto known = read_key(key);
  if (!known.ok())
    return std::move(known.error);
  verifier v{where, known.value.bytes, verifier::extent::all};
  for (auto& name : files_of(where))
    v.read(path_of(where, name), name);
  return v.finish();
}

msg::outcome<verdict> verify_path(const std::string& path, const std::string& key) {
  std::error_code ec;
  if (fs::is_directory(path, ec))
    return verify(place{path, {}}, key);
  if (!fs::is_regular_file(path, ec))
    return msg::fault{msg::errc::invalid_argument, path + ": there is no such file or folder"};
  auto known = read_key(key);
  if (!known.ok())
    return std::move(known.error);
  fs::path p{path};
  auto name = p.filename().string();
  auto folder = p.parent_path().empty() ? std::string{"."} : p.parent_path().string();
  place where{folder, is_day_file(name) ? std::string{} : name};
  verifier v{where, known.value.bytes, where.file.empty() ? verifier::extent::one_file : verifier::extent::all};
  v.read(path, name);
  return v.finish();
}

} // namespace audit
