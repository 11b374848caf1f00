// Which draft a schema is written in, and which of its vocabularies count.
#pragma once

#include "json_schema/options.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace json_schema {

enum vocabulary : uint8_t {
  vocabulary_core = 1,
  vocabulary_applicator = 2,
  vocabulary_validation = 4,
  vocabulary_unevaluated = 8,
  vocabulary_format = 16,
  vocabulary_format_assertion = 32,
  vocabulary_content = 64,
};

struct language {
  dialect draft = dialect::draft2020_12;
  uint8_t vocabularies = 0;

  bool has(uint8_t any) const { return (vocabularies & any) != 0; }
};

/// With all vocabularies of the draft's own metaschema.
language standard_language(dialect draft);

/// The draft of a well-known `$schema`; false if it is none.
bool find_standard_language(std::string_view metaschema_uri, language& out);

/// Of a metaschema's `$vocabulary`. The problem, or empty: an unknown vocabulary that is required.
std::string read_vocabularies(const boost::json::value& vocabularies, language& out);

} // namespace json_schema
