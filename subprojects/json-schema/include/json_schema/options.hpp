// What a caller may choose, and every bound with its default.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace json_schema {

/// 2019-09 is there for documents that others refer to: all but `$recursiveRef`, which is an error.
/// Schemas of draft-06 are read as draft-07.
enum class dialect : uint8_t { draft7, draft2019_09, draft2020_12 };

/// What `format` and `content*` do. An assertion makes the instance invalid; an annotation does nothing.
enum class meaning : uint8_t { annotation, assertion };

/// What becomes of a keyword that a schema uses wrongly: `"type": "str"`, a reference that leads nowhere, a regular
/// expression that is none, an unknown `$schema`. Ignored, the schema allows more than was meant, never less: keywords
/// that turn an answer round (`not`, `oneOf`, `if`, `contains`, `unevaluated*`) are ignored with it, wherever they
/// stand.
enum class mistakes : uint8_t { refused, ignored };

/// Serves a document that a reference names, by its absolute URI without fragment; empty: there is none. The library
/// never fetches anything. Called while compiling only, in the thread of `compile`.
using resolver = std::function<std::optional<boost::json::value>(std::string_view uri)>;

/// Bounds of one `compile`. Beyond one, it fails with an error that names it.
struct compile_limits {
  /// Subschemas, over all documents. Each takes about 300 bytes, so that this is 60 MB at most; the largest known
  /// schemas of tools have a few thousand.
  size_t subschemas = 200'000;
  /// Documents that the resolver served.
  size_t documents = 64;
  /// One regular expression, in bytes.
  size_t pattern_bytes = 8'192;
  /// All regular expressions compiled, in bytes: `(([ab]c){60}d){20}` is 18 bytes and takes 50 KB.
  size_t pattern_memory_bytes = 8 << 20;
  /// Subschemas with an `$id` of their own, documents included.
  size_t ids = 4'096;
  /// One URI that an `$id` or a reference comes to, in bytes. An `$id` is resolved against the one around it, so that
  /// nested ones grow.
  size_t uri_bytes = 4'096;
  /// All such URIs together, in bytes: what the two above would allow is 16 MiB, and each `$id` is kept three times.
  size_t uris_bytes = 1 << 20;
  /// All that is kept of a schema, in bytes, as far as it can be told beforehand: documents, subschemas, keywords, URIs
  /// and regular expressions.
  size_t memory_bytes = 256 << 20;
};

/// Bounds of one `validate`.
struct validate_limits {
  /// Subschemas applied, values compared and characters looked at (by the dozen): about 50 ns each, so 0.3 s at most.
  size_t steps = 5'000'000;
  /// Subschemas inside of subschemas. Each takes about 600 bytes of stack.
  size_t depth = 800;
  /// Steps of one match of a regular expression (PCRE2's match limit): about 10 ns each.
  uint32_t pattern_steps = 1'000'000;
  /// Memory of one match, in KiB.
  uint32_t pattern_memory_kib = 4'096;
  /// Errors given. The rest is not looked for.
  size_t errors = 16;
  /// Of the text of an instance in an error.
  size_t given_bytes = 80;
};

struct compile_options {
  dialect default_dialect = dialect::draft2020_12; ///< of documents without `$schema`
  meaning format = meaning::annotation;            ///< a metaschema with the vocabulary format-assertion overrides it
  meaning content = meaning::annotation;           ///< contentEncoding base64, contentMediaType application/json
  mistakes mistaken = mistakes::refused;
  resolver resolve;     ///< may be empty
  std::string base_uri; ///< of the document, when it has no `$id`
  compile_limits limits;
};

} // namespace json_schema
