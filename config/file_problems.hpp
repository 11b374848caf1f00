// What is wrong in one file. The first problems are told, the others only counted: the text of one takes looking for
// its place.
#pragma once

#include "messages/limits.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace config {

class file_problems {
public:
  explicit file_problems(size_t told_max = msg::limits::config_problems_max) : told_max_(told_max) {}

  /// `text` makes the whole sentence; it is not asked for one that is not told.
  template <class Text>
  void add(const Text& text) {
    if (told_.size() < told_max_)
      told_.push_back(text());
    else
      ++untold_;
  }
  const std::vector<std::string>& told() const { return told_; }

  /// `path`: of the file.
  void move_to(std::vector<std::string>& to, const std::string& path) && {
    for (auto& problem : told_)
      to.push_back(std::move(problem));
    if (untold_ > 0)
      to.push_back(path + ": " + std::to_string(untold_) + (told_.empty() ? "" : " more")
                   + (untold_ == 1 ? " problem" : " problems"));
  }

private:
  size_t told_max_;
  std::vector<std::string> told_;
  size_t untold_ = 0;
};

} // namespace config
