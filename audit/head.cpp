#include "audit/head.hpp"

#include "audit/key.hpp"
#include "audit/line.hpp"

#include <array>
#include <charconv>

#include <unistd.h>

namespace audit {

namespace {

/// Two ends with names of files, two beginnings, the seal.
constexpr size_t head_bytes_max = 2'048;
constexpr std::string_view begin_word = "begin ", anew_word = "anew ", since_word = "since ", next_word = "next ",
                           seal_word = "seal ";

std::string text_of(const file_end& end) { return end.digest + " " + std::to_string(end.size) + " " + end.file + "\n"; }

file_end end_in(std::string_view line) {
  file_end out;
  auto* stop = line.data() + line.size();
  if (line.size() < digest_length + 3 || line[digest_length] != ' ')
    return out;
  auto [after, error] = std::from_chars(line.data() + digest_length + 1, stop, out.size);
  if (error != std::errc{} || after == stop || *after != ' ')
    return out;
  out.digest = line.substr(0, digest_length);
  out.file = std::string{after + 1, stop};
  return out;
}

void read_begin(std::string_view line, head_record& to) {
  auto blank = line.find(' ');
  to.begin = line.substr(0, blank);
  if (blank != line.npos)
    to.begin_soon = line.substr(blank + 1);
}

} // namespace

head_record read_head(int fd, const std::string& key) {
  std::array<char, head_bytes_max> bytes;
  auto n = ::pread(fd, bytes.data(), bytes.size(), 0);
  std::string_view text{bytes.data(), n > 0 ? static_cast<size_t>(n) : 0};
  head_record out;
  out.last = end_in(text.substr(0, text.find('\n')));
  for (auto at = text.find('\n'); at != text.npos && at + 1 < text.size();) {
    auto end = text.find('\n', at + 1);
    auto line = text.substr(at + 1, end == text.npos ? end : end - at - 1);
    if (line.starts_with(begin_word))
      read_begin(line.substr(begin_word.size()), out);
    if (line.starts_with(anew_word))
      out.begun_anew = line.substr(anew_word.size());
    if (line.starts_with(since_word))
      out.sealed_since = line.substr(since_word.size());
    if (line.starts_with(next_word))
      out.next = end_in(line.substr(next_word.size()));
    if (line.starts_with(seal_word)) {
      bool is_ours = !key.empty() && line.substr(seal_word.size()) == seal_of(key, text.substr(0, at + 1));
      out.seal = key.empty() ? seal_state::unchecked : is_ours ? seal_state::good : seal_state::wrong;
      break; // what follows is left of a longer one
    }
    at = end;
  }
  return out;
}

bool write_head(int fd, const head_record& head, const std::string& key) {
  auto text = text_of(head.last);
  if (!head.begin.empty())
    text += std::string{begin_word} + head.begin + (head.begin_soon.empty() ? "" : " " + head.begin_soon) + "\n";
  if (!head.begun_anew.empty())
    text += std::string{anew_word} + head.begun_anew + "\n";
  if (!head.sealed_since.empty())
    text += std::string{since_word} + head.sealed_since + "\n";
  if (!head.next.digest.empty())
    text += std::string{next_word} + text_of(head.next);
  if (!key.empty())
    text += std::string{seal_word} + seal_of(key, text) + "\n";
  return ::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())
         && ::ftruncate(fd, static_cast<off_t>(text.size())) == 0;
}

bool may_end_so(const head_record& head, const file_end& end) {
  if (end.file == head.last.file && end.size == head.last.size)
    return true;
  auto& next = head.next;
  bool is_between = !next.digest.empty() && end.file == next.file && end.size <= next.size
                    && (next.file != head.last.file || end.size > head.last.size);
  return is_between && (end.size < next.size || end.digest == next.digest);
}

} // namespace audit
