// A compiled schema: nodes, each with the keywords of one subschema.
#pragma once

#include "json_schema/error.hpp"
#include "json_schema/options.hpp"
#include "pattern.hpp"

#include <boost/json/value.hpp>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace json_schema {

class evaluation;
struct node;

/// Where an instance is in the whole: a list on the stack, from the inside to the outside.
struct place {
  const place* parent = nullptr;
  std::string_view key; ///< of an object; null data for an item of an array
  size_t index = 0;

  std::string pointer() const;
};

/// Which members or items of one instance some subschema has looked at, for `unevaluated*`.
struct evaluated {
  std::vector<bool> marks;
  bool all = false;

  explicit evaluated(const boost::json::value& instance);
  void mark(size_t index) { marks[index] = true; }
  void merge(const evaluated& other);
};

/// What a keyword is applied to.
struct subject {
  const boost::json::value& instance;
  const place& at;
  evaluated* seen; ///< null when no keyword asks
};

/// Kinds of instances that a keyword says something about.
enum kinds : uint8_t { for_strings = 1, for_numbers = 2, for_arrays = 4, for_objects = 8, for_all = 255 };
uint8_t kind_bit(const boost::json::value& instance);

class keyword {
public:
  keyword(const node& owner, std::string_view name, uint8_t applies_to)
    : owner(owner),
      name(name),
      applies_to(applies_to) {}
  virtual ~keyword() = default;
  /// Reports errors to the evaluation if it asks for them.
  virtual bool holds(evaluation& run, const subject& s) const = 0;

  const node& owner;
  std::string_view name;
  uint8_t applies_to;
};

struct node {
  enum class meaning : uint8_t { anything, nothing, keywords };
  meaning says = meaning::keywords;
  bool collects_evaluated = false; ///< the last keywords are `unevaluated*`
  size_t resource = 0;
  /// Where it stands: below a keyword of its parent, and there below a member or item, if there is any.
  const node* parent = nullptr;
  std::string_view below;
  std::string token;
  std::vector<std::unique_ptr<keyword>> keywords;
};

/// Dynamic anchors of one resource.
using dynamic_anchors = std::vector<std::pair<std::string, const node*>>;

struct program {
  std::vector<std::shared_ptr<const boost::json::value>> documents; ///< keywords point into them
  std::deque<node> nodes;                                           ///< the first is the root
  std::deque<pattern> patterns;
  std::vector<std::string> resource_uris;
  std::vector<dynamic_anchors> dynamic;
  bool has_dynamic_references = false;
  std::vector<compile_error> ignored;
  size_t memory_bytes = 0; ///< of all of it, about

  /// As errors name it: of the subschema itself, or of a keyword of it.
  std::string path(const node& n, std::string_view keyword = {}) const;
};

} // namespace json_schema
