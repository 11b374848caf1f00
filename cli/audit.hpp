// `code-executor audit`: reads the record, and checks that it is as it was written.
#pragma once

#include "cli/doctor.hpp"
#include "config/settings.hpp"

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace cli {

/// Lines that `audit tail` shows unless told otherwise, and at most.
inline constexpr size_t audit_lines_default = 20;
inline constexpr size_t audit_lines_max = 10'000;

enum class tail_end : uint8_t {
  stop,
  follow, ///< goes on with what is written, until it is interrupted
};

/// `audit tail|show|verify`, as words of the command line.
class audit_words {
public:
  explicit audit_words(CLI::App& app);
  bool wanted() const;
  int run(const config::settings& settings) const;

private:
  CLI::App *command_, *tail_, *show_;
  size_t lines_ = audit_lines_default;
  bool follows_ = false;
  bool as_json_ = false;
  std::string run_, path_;
};

/// The last lines, oldest first. With JSON: one line each, as they are in the file.
int audit_tail(const config::settings& settings, size_t lines, tail_end end, output_form form);
/// All that belongs to a run. 1: nothing does.
int audit_show(const config::settings& settings, const std::string& run, output_form form);
/// A folder or a file; empty: those of the settings. 1: something was changed, is missing or in another order.
int audit_verify(const config::settings& settings, const std::string& path, output_form form);

} // namespace cli
