// Reads files of the record line by line, with bounded memory.
#pragma once

#include "audit/place.hpp"

#include "process/child.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace audit {

struct read_line {
  std::string text; ///< without its end; its beginning only, if it is longer than any of ours
  std::string digest;
  uint64_t number = 0;  ///< from 1
  bool is_whole = true; ///< `text` is all of it
  bool is_ended = true; ///< by an end of line
};

class reader {
public:
  enum class digests : uint8_t { wanted, unwanted };

  /// From that byte on, which is the beginning of a line.
  reader(const std::string& path, digests mode, uint64_t from = 0);

  /// False: that was the last one, or the file can not be read: see problem().
  bool next(read_line& line);
  const std::string& problem() const { return problem_; }
  /// Where the next line begins.
  uint64_t place() const { return place_; }

private:
  bool fill();

  std::string path_;
  digests mode_;
  process::descriptor file_;
  std::string problem_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t number_ = 0;
  uint64_t place_ = 0;
};

/// The last lines of all, oldest first. What is no line of ours is left out.
std::deque<std::string> last_lines(const place& where, size_t count);

/// Calls `found` with every line of that run, in order.
void lines_of_run(const place& where, const std::string& run, const std::function<void(const std::string&)>& found);

} // namespace audit
