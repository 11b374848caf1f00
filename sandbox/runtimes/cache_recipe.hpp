// What a runtime can prepare once per machine so that its guests start sooner: a folder that a guest without any user
// code fills, and that all others see read-only.
#pragma once

#include "sandbox/isolation/box.hpp"

#include <string>
#include <vector>

namespace sandbox {

struct cache_recipe {
  std::string name;
  /// Fills the folder, which is to be mounted writable at `mount_point`. Needs no channel; ends with status 0.
  box maker;
  uint32_t maker_runs = 1; ///< one after the other, on the same folder
  /// Box of a guest that has the folder mounted read-only at `mount_point`.
  box user;
  std::string mount_point;
  /// Files and folders of the host of which the content is made, besides the command of `maker`. A folder that was made
  /// of others does no harm, but no good either.
  std::vector<std::string> inputs;
};

} // namespace sandbox
