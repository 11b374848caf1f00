// Whether the record is as it was written: every line names the digest of the line before.
#pragma once

#include "audit/place.hpp"
#include "messages/errors.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace audit {

struct finding {
  std::string file;
  uint64_t line = 0;
  std::string what;
};

struct verdict {
  uint64_t files = 0;
  uint64_t lines = 0;
  std::vector<finding> problems; ///< the first of them
  uint64_t problem_count = 0;
  std::vector<finding> notes; ///< what is no problem: lines cut by a crash, older files that have expired
  bool ok() const { return problem_count == 0; }
};

/// Reads every file once.
verdict verify(const place& where);

/// Of what the command line names: a folder of day files, one of these, or a single file. The fault says that there is none.
msg::outcome<verdict> verify_path(const std::string& path);

} // namespace audit
