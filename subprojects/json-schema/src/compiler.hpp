// Makes a program of a document. Subschemas wait in a queue, so nothing here recurses.
#pragma once

#include "definitions.hpp"
#include "documents.hpp"
#include "json_schema/schema.hpp"
#include "keywords.hpp"
#include "node.hpp"

#include <unordered_map>

namespace json_schema {

class compiler {
public:
  explicit compiler(const compile_options& options) : options(options), documents_(options) {}

  std::variant<schema, compile_error> run(boost::json::value document);

  // ---- for keywords ----

  /// The node of a subschema below a keyword; the token is empty when the keyword's value is the subschema itself.
  const node& child(node& parent, std::string_view keyword, const boost::json::value& schema, std::string token = {});
  /// The node that a reference names; null, and failed, if there is none.
  const node* referred(node& from, std::string_view keyword, std::string_view reference);
  /// The dynamic anchor that a reference ends in, if it leads to one; otherwise empty.
  std::string dynamic_anchor(node& from, std::string_view reference);
  /// Null, and failed, if it is none.
  const pattern* compile_pattern(node& n, std::string_view keyword, std::string_view ecma);

  /// A mistake of the schema. Unless mistakes are ignored, the first one ends the compilation.
  void fail(const node& n, std::string_view keyword, std::string message);
  /// A bound is passed, which ends it in any case.
  void stop(const node& n, std::string_view keyword, std::string message);
  bool asserts_format(const node& n) const;
  dialect draft(const node& n) const { return documents_.resources[n.resource].speaks.draft; }
  /// Whether min- and maxContains count.
  bool has_validation(const node& n) const {
    return documents_.resources[n.resource].speaks.has(vocabulary_validation);
  }

  template <class Keyword, class... Arguments>
  Keyword& add(node& n, Arguments&&... arguments) {
    auto made = std::make_unique<Keyword>(n, std::forward<Arguments>(arguments)...);
    auto& out = *made;
    n.keywords.push_back(std::move(made));
    return out;
  }

  const compile_options& options;

private:
  node& node_of(const boost::json::value& schema, size_t resource);
  void compile_waiting();
  void check_memory(const node& n);
  void compile_node(node& n, const boost::json::value& schema);
  void add_keywords(node& n, const boost::json::object& schema);
  void add_dynamic_anchors();
  void add_keyword(node& n, const boost::json::object& schema, const boost::json::value& v, build add);
  void loosen();
  compile_error problem_at(const node& n, std::string_view keyword, std::string message);

  documents documents_;
  std::shared_ptr<program> program_ = std::make_shared<program>();
  std::optional<compile_error> error_;
  std::unordered_map<const boost::json::value*, node*> nodes_;
  std::vector<std::pair<node*, const boost::json::value*>> waiting_;
  std::unordered_map<std::string_view, const pattern*> patterns_; ///< by their text in the documents
  size_t pattern_memory_ = 0;
  size_t mistakes_ = 0; ///< that were ignored
};

/// A value that a keyword needs; null, and failed, if it is of another type.
const boost::json::object* need_object(compiler& to, const node& n, std::string_view keyword,
                                       const boost::json::value& value);
const boost::json::array* need_array(compiler& to, const node& n, std::string_view keyword,
                                     const boost::json::value& value);
const boost::json::string* need_string(compiler& to, const node& n, std::string_view keyword,
                                       const boost::json::value& value);
std::optional<uint64_t> need_count(compiler& to, const node& n, std::string_view keyword,
                                   const boost::json::value& value);

/// Of keywords that are compiled together: whether this is the first of them in the schema.
bool is_first(const boost::json::object& schema, const boost::json::value& value,
              std::initializer_list<std::string_view> names);

} // namespace json_schema
