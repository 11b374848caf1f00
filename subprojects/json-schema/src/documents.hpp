// The documents of one schema, and the resources in them: what `$id`, anchors and references name.
#pragma once

#include "json_schema/error.hpp"
#include "language.hpp"

#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace json_schema {

/// A schema with an `$id`, or the root of a document.
struct resource {
  std::string uri; ///< without fragment
  const boost::json::value* root;
  language speaks;
  std::map<std::string, const boost::json::value*, std::less<>> anchors; ///< dynamic ones too
  std::map<std::string, const boost::json::value*, std::less<>> dynamic;
};

struct reference_target {
  const boost::json::value* schema = nullptr;
  size_t resource = 0;
  std::string problem; ///< not empty: there is no such schema
};

/// Of a value with all that is in it, about; counting ends beyond `most`.
size_t memory_of(const boost::json::value& v, size_t most);

/// The limits of `compile_limits` in words: "more than 4096 bytes ..."
std::string beyond(size_t limit, std::string_view what);

class documents {
public:
  explicit documents(const compile_options& options) : options_(options) {}

  /// Gives its resource. Problems are kept in `problem`.
  size_t add(std::shared_ptr<const boost::json::value> document, std::string_view uri, dialect otherwise);

  reference_target find(std::string_view reference, size_t from);

  /// The resource of a schema that stands in another one's.
  size_t resource_of(const boost::json::value& schema, size_t parent) const;

  std::vector<resource> resources;
  std::vector<std::shared_ptr<const boost::json::value>> all;
  std::string problem;
  size_t memory_bytes = 0; ///< of documents, URIs and anchors, about; never much more than may be

private:
  bool charge(size_t bytes);
  bool take_uri(const std::string& uri);
  size_t add_resource(const boost::json::value& root, std::string uri, const language& speaks);
  void index(const boost::json::value& root, size_t resource);
  size_t enter(const boost::json::value& schema, size_t resource);
  void add_anchors(const boost::json::value& schema, size_t resource);
  language language_of(const boost::json::value& root, const language& otherwise);
  language custom_language(std::string_view metaschema_uri);
  std::optional<size_t> find_resource(const std::string& uri, dialect otherwise);
  std::shared_ptr<const boost::json::value> load(const std::string& uri);
  reference_target walk(std::string_view pointer, size_t from) const;

  const compile_options& options_;
  size_t served_ = 0, indexed_ = 0, uris_bytes_ = 0;
  std::unordered_map<std::string, size_t> by_uri_;
  std::unordered_map<const boost::json::value*, size_t> by_root_;
};

} // namespace json_schema
