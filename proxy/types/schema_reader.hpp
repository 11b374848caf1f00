// JSON Schema, any draft and also what only resembles one, to types.
#pragma once

#include "proxy/types/bounds.hpp"
#include "proxy/types/references.hpp"
#include "proxy/types/type.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace types {

/// Reads one document. Its named types go behind those that `names` has already. Time is linear in what is read, which
/// is bounded (bounds.hpp); what is beyond, or not understood, is unknown.
class schema_reader {
public:
  /// Keeps references to both. Names will be wished as `prefix` + what the schema calls them.
  schema_reader(const boost::json::value& document, std::string_view prefix, std::string_view root_name,
                std::vector<named_type>& names);

  type read();

private:
  enum class progress : uint8_t { waiting, begun, done };
  struct pending {
    const boost::json::value* schema;
    const resource* in;
    progress state = progress::waiting;
  };
  /// Where a schema stands.
  struct place {
    const resource* in;
    int depth;
    place deeper() const { return {in, depth + 1}; }
  };
  using object = boost::json::object;
  using value = boost::json::value;

  type convert(const value& schema, place at);
  type of_keywords(const object& schema, place at);
  type own_type(const object& schema, place at);
  type of_names(const value& names, const object& schema, place at);
  type of_name(std::string_view name, const object& schema, place at);
  type of_structure(const object& schema, place at);
  type object_type(const object& schema, place at);
  std::optional<type> other_values(const object& schema, place at);
  type list_type(const object& schema, place at);
  type tuple_type(const boost::json::array& elements, const value* others, const object& schema, place at);
  type enumerated(const boost::json::array& values);
  type any_of(const boost::json::array& schemas, place at);
  type reference(const value& uri, place at);
  type constrained(type first, type second);
  type without_names(const type& t);

  size_t name_of(const references::target& target);
  void complete(size_t name);

  /// False: the budget is used up, and the type must be unknown.
  bool charge(size_t types);
  bool charge_text(size_t bytes);
  std::string doc(const object& schema);

  references references_;
  const value& document_;
  std::string prefix_;
  std::string root_name_;
  std::vector<named_type>& names_;
  size_t first_name_; ///< of this document
  std::vector<pending> pending_;
  std::map<const value*, size_t> name_of_;
  int completing_ = 0;
  size_t types_left_ = bounds::types_max;
  size_t text_left_ = bounds::text_bytes_max;
};

} // namespace types
