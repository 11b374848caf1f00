#include "actors/run/server_logs.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <string>

namespace actors::run {

void server_logs::take(msg::server_log line) {
  if (told_ < log_lines_max) {
    ++told_;
    return tell_(std::move(line));
  }
  ++left_out_;
  gravest_ = std::max(gravest_, line.level);
  run_ = line.key.run;
}

/// As grave as the gravest of them: whoever would have heard of that hears of this.
void server_logs::end() {
  if (auto count = std::exchange(left_out_, 0); count > 0)
    tell_({{run_, 0},
           true,
           gravest_,
           our_name_,
           msg::document{boost::json::value(std::to_string(count) + (count == 1 ? " line" : " lines")
                                            + " of the servers' logs left out: of one run "
                                            + std::to_string(log_lines_max) + " are told")}});
}

} // namespace actors::run
