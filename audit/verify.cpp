#include "audit/verify.hpp"

#include "audit/line.hpp"
#include "audit/reader.hpp"
#include "audit/tail.hpp"

#include <algorithm>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

namespace audit {

namespace fs = std::filesystem;

namespace {

/// Problems, and notes, that are told; the others are counted.
constexpr size_t told_max = 100;

head_record head_of(const place& where) {
  process::descriptor head{::open(head_file(where).c_str(), O_RDONLY | O_CLOEXEC)};
  return head ? read_head(head.get()) : head_record{};
}

class verifier {
public:
  explicit verifier(head_record head) : head_(std::move(head)) {}

  void read(const std::string& path, const std::string& name) {
    ++out_.files;
    if (name == head_.file)
      has_head_file_ = true;
    reader in{path, reader::digests::wanted};
    for (read_line line; in.next(line);)
      take(name, line);
    if (!in.problem().empty())
      problem({name, 0, "it can not be read: " + in.problem()});
  }

  /// `is_all`: no file was left out.
  verdict finish(bool is_all) {
    if (last_.is_torn)
      note({last_.file, last_.line, "cut in the middle: the process was killed, or is writing it just now"});
    bool expects_head = !head_.digest.empty() && out_.files > 0 && (is_all ? head_.file >= first_file_ : has_head_file_);
    if (expects_head && !has_head_line_)
      problem({head_.file, last_.file == head_.file ? last_.line : 0, "the last line that was written is missing or changed, or others before it"});
    if (head_.digest.empty() && out_.lines > 0)
      note({last_.file, last_.line, "there is no head file: lines that are missing at the end can not be found"});
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
    has_head_line_ = has_head_line_ || line.digest == head_.digest;
    last_ = {name, line.number, std::move(line.digest), is_torn};
  }

  void compare(const std::string& name, uint64_t number, const std::string& before) {
    if (last_.line == 0) {
      if (before != no_line_before)
        note({name, number, "what came before this line is not here; files expire"});
    } else if (before != last_.digest) {
      auto where = last_.file == name ? "line " + std::to_string(last_.line) : last_.file + " line " + std::to_string(last_.line);
      problem(
        {name, last_.file == name && last_.is_torn ? last_.line : number,
         last_.is_torn ? where + " was cut or changed" : where + " was changed, or lines between it and this one are missing or in another order"});
    } else if (last_.is_torn) {
      note({last_.file, last_.line, "cut in the middle: the process was killed while it wrote this"});
    }
  }

  head_record head_;
  verdict out_;
  seen last_;
  std::string first_file_;
  bool has_head_file_ = false;
  bool has_head_line_ = false;
};

} // namespace

verdict verify(const place& where) {
  verifier v{head_of(where)}; // before the files: a running server goes on writing
  for (auto& name : files_of(where))
    v.read(path_of(where, name), name);
  return v.finish(true);
}

msg::outcome<verdict> verify_path(const std::string& path) {
  std::error_code ec;
  if (fs::is_directory(path, ec))
    return verify(place{path, {}});
  if (!fs::is_regular_file(path, ec))
    return msg::fault{msg::errc::invalid_argument, path + ": there is no such file or folder"};
  fs::path p{path};
  auto name = p.filename().string();
  auto folder = p.parent_path().empty() ? std::string{"."} : p.parent_path().string();
  place where{folder, is_day_file(name) ? std::string{} : name};
  verifier v{head_of(where)};
  v.read(path, name);
  return v.finish(false);
}

} // namespace audit
