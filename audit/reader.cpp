#include "audit/reader.hpp"

#include "audit/line.hpp"
#include "messages/limits.hpp"
#include "text/digest.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace audit {

namespace {

constexpr size_t chunk_bytes = 64u << 10;

} // namespace

reader::reader(const std::string& path, digests mode, uint64_t from)
  : path_(path),
    mode_(mode),
    file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
    place_(from) {
  if (!file_ || ::lseek(file_.get(), static_cast<off_t>(from), SEEK_SET) < 0)
    problem_ = path_ + ": " + std::strerror(errno);
}

/// False: there is no more.
bool reader::fill() {
  at_ = 0;
  buffer_.resize(chunk_bytes);
  ssize_t n = 0;
  do
    n = !file_ ? 0 : ::read(file_.get(), buffer_.data(), buffer_.size());
  while (n < 0 && errno == EINTR);
  if (n < 0)
    problem_ = path_ + ": " + std::strerror(errno);
  buffer_.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return n > 0;
}

bool reader::next(read_line& line) {
  line.text.clear();
  line.is_whole = true;
  line.is_ended = false;
  text::stream_digest sum;
  bool any = false;
  while (!line.is_ended && (at_ < buffer_.size() || fill())) {
    any = true;
    auto end = buffer_.find('\n', at_);
    line.is_ended = end != std::string::npos;
    auto piece = std::string_view{buffer_}.substr(at_, (line.is_ended ? end : buffer_.size()) - at_);
    at_ += piece.size() + (line.is_ended ? 1 : 0);
    place_ += piece.size() + (line.is_ended ? 1 : 0);
    if (mode_ == digests::wanted)
      sum.add(piece);
    auto room = msg::limits::audit_line_bytes_max - line.text.size();
    line.is_whole = line.is_whole && piece.size() <= room;
    line.text.append(piece.substr(0, room));
  }
  if (!any)
    return false;
  line.number = ++number_;
  if (mode_ == digests::wanted)
    line.digest = sum.hex();
  return true;
}

std::deque<std::string> last_lines(const place& where, size_t count) {
  std::deque<std::string> all;
  auto names = files_of(where);
  for (auto name = names.rbegin(); name != names.rend() && all.size() < count; ++name) {
    std::deque<std::string> of_file;
    reader in{path_of(where, *name), reader::digests::unwanted};
    for (read_line line; in.next(line);) {
      if (digest_before(line.text).empty() || !line.text.ends_with('}'))
        continue;
      of_file.push_back(std::move(line.text));
      if (of_file.size() > count - all.size())
        of_file.pop_front();
    }
    all.insert(all.begin(), std::make_move_iterator(of_file.begin()), std::make_move_iterator(of_file.end()));
  }
  return all;
}

void lines_of_run(const place& where, const std::string& run, const std::function<void(const std::string&)>& found) {
  auto wanted = "\"runId\":\"" + run + "\"";
  for (auto& name : files_of(where)) {
    reader in{path_of(where, name), reader::digests::unwanted};
    for (read_line line; in.next(line);)
      if (line.text.find(wanted) != std::string::npos && !digest_before(line.text).empty() && line.text.ends_with('}'))
        found(line.text);
  }
}

} // namespace audit
