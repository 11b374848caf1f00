// What the server has to say of a run beside its result: told on stderr, where the model sees it.
#pragma once

#include "messages/run.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace actors::run {

class notes {
public:
  /// Different ones in one report; those after them are dropped.
  static constexpr size_t lines_max = 20;

  /// The same line again is told once.
  void add(std::string line) {
    if (lines_.size() < lines_max && std::find(lines_.begin(), lines_.end(), line) == lines_.end())
      lines_.push_back(std::move(line));
  }
  /// Why the last search found nothing that fits, instead of what the one before it found; empty: it did. Told after
  /// all others.
  void set_hint(std::string line) { hint_ = std::move(line); }

  /// After all that the program has printed there itself. Gives what is added.
  std::string append_to(msg::captured_text& diagnostics) && {
    if (!hint_.empty())
      add(std::move(hint_));
    std::string added;
    for (auto& line : lines_)
      added += line + "\n";
    (diagnostics.dropped_bytes > 0 ? diagnostics.tail : diagnostics.head) += added;
    return added;
  }

private:
  std::vector<std::string> lines_;
  std::string hint_;
};

} // namespace actors::run
