// What is too large for the model and kept for later: what is asked of the store of outputs, and what it answers.
#pragma once

#include "messages/document.hpp"
#include "messages/fields.hpp"
#include "messages/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace msg {

enum class artifact_part : uint8_t { output, diagnostics, result, display };

/// One part of a report: a text as a stream gave it, or a value.
struct large_artifact {
  std::string handle; ///< that it gets, chosen before so that no answer has to wait for the disk
  artifact_part part = artifact_part::output;
  uint32_t index = 0; ///< of the displayed block
  captured_text text; ///< of output and diagnostics
  document value;     ///< of result and display
  auto fields() { return std::tie(handle, part, index, text, value); }
};

/// One that is kept.
struct kept_artifact {
  std::string handle;
  artifact_part part = artifact_part::output;
  uint32_t index = 0;
  uint64_t bytes = 0;    ///< of text, or of the value as JSON; 0: it is still being written
  bool is_json = false;  ///< else it is text
  int64_t expires_s = 0; ///< since 1970; 0: it is still being written
  auto fields() { return std::tie(handle, part, index, bytes, is_json, expires_s); }
};

/// A part of one that is kept.
struct artifact_query {
  static constexpr uint64_t no_limit = UINT64_MAX;

  std::string handle;
  std::string path; ///< `items[3].name` or `/items/3/name`; empty: the whole
  uint64_t offset = 0;
  uint64_t limit = no_limit; ///< elements of a list, characters of a text, fields of an object
  auto fields() { return std::tie(handle, path, offset, limit); }
};

enum class artifact_operation : uint8_t {
  keep,  ///< `large`: each becomes a `kept`, in the same order
  read,  ///< `query`: a part of it is `value`
  fetch, ///< `query.handle`: `value` is the result of resources/read
  list,  ///< `kept`: what this server has kept and is still there, the youngest first
};

struct artifact_request {
  artifact_operation operation = artifact_operation::list;
  std::vector<large_artifact> large;
  artifact_query query;
  uint64_t run = 0;  ///< whose program reads; 0: no program's, the server itself wants it
  std::string owner; ///< who asks, see run_request::owner: it gets its own only
  auto fields() { return std::tie(operation, large, query, run, owner); }
};

struct artifact_answer {
  std::vector<kept_artifact> kept;
  document value;
  auto fields() { return std::tie(kept, value); }
};

} // namespace msg
