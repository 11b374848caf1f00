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
  uint64_t line = 0; ///< 0: none in particular
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

/// Reads every file once, up to where it ends now. `key`: see key_file(); without that file the seal is not checked.
/// The fault says that there is a key and it can not be read.
msg::outcome<verdict> verify(const place& where, const std::string& key = {});

/// Of what the command line names: a folder of day files, one of these, or a single file. The fault may also say that
/// there is none.
msg::outcome<verdict> verify_path(const std::string& path, const std::string& key = {});

} // namespace audit
