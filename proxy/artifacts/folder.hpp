// The files of outputs: each complete or not there at all, for its owner alone, and with its end in its own times.
// Several servers may use one folder; what one of them removes, the others find gone.
#pragma once

#include "messages/errors.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace artifacts {

inline constexpr int64_t ns_per_s = 1'000'000'000;

struct file_info {
  std::string handle;
  bool is_json = false;
  uint64_t bytes = 0;
  int64_t expires_ns = 0; ///< since 1970; it is the time of its last change, as the file system has it
};

class folder {
public:
  /// Makes nothing yet. An empty path: there is none, and nothing can be kept.
  explicit folder(std::string path);

  /// Unordered; what does not look like ours is left out. No folder: empty.
  std::vector<file_info> files() const;
  msg::fault write(const file_info& file, std::string_view content) const;
  /// unknown_handle: it is gone.
  msg::outcome<std::string> read(const file_info& file) const;
  /// Whether it is there; `file.handle` has been checked.
  bool find(file_info& file) const;
  void remove(const file_info& file) const;
  /// What a server that was killed has left half written.
  void remove_unfinished(int64_t now_ns) const;

private:
  std::string path_of(const file_info& file) const;
  msg::fault make() const;
  msg::fault failed(const std::string& doing, int error) const;

  std::string path_;
};

} // namespace artifacts
