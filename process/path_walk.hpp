// Where paths lead, link by link as the kernel goes, with a bound on the work: links of a cloned repository can be made
// so that one name costs the kernel milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace process {

/// Of one path_walk, 0.2 s: a part of a path is a step. One that was not seen before is looked at on the disk, which is
/// some more, and as many as the folder that it is in has above it. A repository with all its settings has some ten
/// thousand.
inline constexpr size_t walk_steps_max = 1'000'000, disk_look_steps = 10;
/// Of one path, with the parts of all links on its way, each time that it goes through them. Those of ordinary ones are
/// fewer than 100.
inline constexpr size_t way_steps_max = 1'000;

enum class path_kind : uint8_t {
  nothing, ///< not there
  unknown, ///< it could not be followed to its end, within the bounds above
  file,
  folder,
  other,
};

struct path_end {
  path_kind kind = path_kind::nothing;
  std::string real; ///< free of links; empty: nothing, or unknown
};

/// Sees each name once: what has changed on the disk meanwhile is not seen.
class path_walk {
public:
  explicit path_walk(size_t steps_max = walk_steps_max) : steps_left_(steps_max) {}
  path_walk(const path_walk&) = delete; // one of the names would be looked at twice

  /// `path`: absolute. A slash at its end asks for a folder.
  path_end end_of(std::string_view path);
  path_kind kind_of(std::string_view path) { return end_of(path).kind; }

  /// Some path is unknown.
  bool gave_up() const { return gave_up_; }

private:
  static constexpr size_t nowhere = SIZE_MAX;

  /// `links` and `steps` of the kernel on it; `is_unknown`: there may be a node; `is_cut`: there is none only because
  /// the link that led here was the last that may be followed.
  struct way {
    size_t node = nowhere, links = 0, steps = 0;
    bool is_cut = false, is_unknown = false;
  };
  struct node {
    size_t parent = 0, depth = 0;
    std::string name;
    path_kind kind = path_kind::folder;
    std::map<std::string, way, std::less<>> names = {}; ///< in this folder, as far as they were seen
  };

  bool spend(size_t steps);
  way give_up();
  way walk(size_t from, std::string_view path, size_t depth);
  way step(size_t from, std::string_view name, size_t depth);
  way look_at(size_t folder, std::string_view name, size_t depth);
  std::string real_path(size_t at) const;

  std::deque<node> nodes_ = std::deque<node>(1); ///< the first one is the root
  size_t steps_left_;
  bool gave_up_ = false;
};

} // namespace process
