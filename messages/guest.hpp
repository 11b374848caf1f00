// A sandboxed guest process, as its execution sees it.
#pragma once

#include "messages/document.hpp"
#include "messages/fields.hpp"
#include "messages/run.hpp"

#include <cstdint>
#include <string>

namespace msg {

/// How a guest process ended.
struct guest_exit {
  bool by_signal = false;
  int32_t code = 0;    ///< exit code, or the signal's number
  std::string problem; ///< why it was ended from this side (broken frame, start failed); empty: it ended by itself
  auto fields() { return std::tie(by_signal, code, problem); }
};

struct guest_output {
  captured_text output;
  captured_text diagnostics;
  auto fields() { return std::tie(output, diagnostics); }
};

} // namespace msg
