#include "messages/invariant.hpp"

#include <string>

#ifdef CODE_EXECUTOR_TESTED
#  include <cstdlib>
#  include <unistd.h>
#endif

namespace msg {

void report_broken_invariant(std::string_view what, const std::source_location& where) {
  auto text = std::string{where.file_name()} + ":" + std::to_string(where.line()) + ": " + std::string{what};
#ifdef CODE_EXECUTOR_TESTED
  text = "broken invariant: " + text + "\n";
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, text.data(), text.size());
  std::abort();
#else
  throw broken_invariant{"a mistake of this program (please report it): " + text};
#endif
}

} // namespace msg
