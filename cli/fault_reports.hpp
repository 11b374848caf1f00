// `code-executor faults history` and `compare`: reports of `faults run` that were kept.
#pragma once

#include "cli/doctor.hpp"
#include "messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

/// Reports that are listed, the latest; and bytes of each that is read.
inline constexpr size_t reports_max = 1'000;
inline constexpr size_t report_bytes_max = size_t{64} << 20;

/// Of the runs of one kind and rate.
struct kept_row {
  size_t runs = 0, hit = 0, survived = 0; ///< survived: of those that were hit
  std::map<std::string, size_t> verdicts; ///< hit runs in which that was done, by its name
};

struct kept_report {
  std::string path, date, plan, command, first_broken;
  double survival = 0;
  std::map<std::string, kept_row> rows; ///< "error", "error at 0.5"
};

/// The fault says why the file is none.
msg::outcome<kept_report> read_report(const std::string& path);

/// "2026-11-27T14:10:59Z".
std::string text_of_now();
/// In a folder under its date, else `wanted` itself.
std::string report_path(const std::string& wanted, const std::string& date);

class report_words {
public:
  /// `parent`: `faults`.
  report_words(CLI::App& parent, bool& as_json);
  report_words(const report_words&) = delete; // the options write into it
  report_words& operator=(const report_words&) = delete;

  bool wanted() const;
  /// The exit code: 1 if something got worse, 2 if a file is no report.
  int run(output_form form) const;

private:
  CLI::App *history_, *compare_;
  std::vector<std::string> places_;
  std::string before_, after_;
};

} // namespace cli
