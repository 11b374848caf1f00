// What the results of a tool looked like so far, for tools that declare no output: a shape that each result widens. It
// is shown to other runs, so that no value of a result may be in it: not the strings, and not the names in objects that
// are keys (of customers, files, days).
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace types {

namespace observed_bounds {

inline constexpr int depth_max = 8;           ///< of shapes in each other; deeper is unknown
inline constexpr size_t shapes_max = 1'000;   ///< in one tool's results; what is new beyond is unknown
inline constexpr size_t visits_max = 2'000;   ///< values looked at in one result: 0.2 ms
inline constexpr size_t elements_max = 50;    ///< of one list, spread over all of it
inline constexpr size_t fields_max = 60;      ///< of one object; more distinct names are taken for keys
inline constexpr size_t values_max = 8;       ///< distinct strings that may be an enum
inline constexpr size_t value_bytes_max = 24; ///< of each; only identifiers count
/// Results with a string there before they are called an enum, each in at least two.
inline constexpr uint64_t repeats_min = 20;
inline constexpr size_t alike_min = 2;        ///< objects of the same fields in one object: its names are keys
inline constexpr size_t name_bytes_max = 100; ///< of a field; a longer one is a key

} // namespace observed_bounds

struct observed_shape;

struct observed_field {
  uint64_t present = 0;           ///< in so many of the objects
  std::vector<observed_shape> of; ///< exactly one
};

/// Counts of what was seen in one place.
struct observed_shape {
  uint64_t nulls = 0;
  uint64_t booleans = 0;
  uint64_t integers = 0;
  uint64_t numbers = 0; ///< that are no integers
  uint64_t strings = 0;
  uint64_t lists = 0;
  uint64_t objects = 0;
  uint64_t opaque = 0; ///< too deep or too many
  /// Identifiers, and in how many results each was. Until it is known that they are an enum they stay in memory, and
  /// are counted anew by the next process.
  std::map<std::string, uint64_t> values;
  uint64_t results = 0; ///< with a string here, since `values` are counted
  /// Of the result that is being taken in: a list of a hundred rows is one observation.
  std::set<std::string> now;
  bool any_string = false;             ///< too many, too long, or something private: `values` is empty
  std::vector<observed_shape> element; ///< at most one: of all elements
  std::map<std::string, observed_field> fields;
  bool is_record = false;            ///< names are keys: `fields` is empty
  std::vector<observed_shape> value; ///< at most one: of all values whose names are keys
};

/// The strings are taken for an enum.
bool is_choice(const observed_shape& s);

/// Whether a text has something in it that is the user's own business. May be empty: nothing has.
using is_private = std::function<bool(std::string_view text)>;

/// What is nobody's business but the user's. Empty ones say of nothing that it is.
struct private_things {
  is_private text = {}; ///< also of names that are keys
  is_private name = {}; ///< of a field whose values are: `password`
};

class observed {
public:
  /// Takes one more result into account, or as much of it as observed_bounds allow. The order of results does not
  /// matter while nothing exceeds shapes_max.
  void merge(const boost::json::value& result, const private_things& knows = {});

  uint64_t samples() const { return samples_; }
  /// Increases whenever schema() changes, other than in its counts. 0: no results yet.
  uint64_t version() const { return version_; }

  /// A JSON Schema of what was seen, with `"x-observed": {"samples", "version"}`: signatures are made of it like of a
  /// declared one. Fields that were not always there are not required.
  boost::json::object schema() const;

  /// All that may be known to others, for storing.
  boost::json::value to_json() const;
  /// Nothing: not what to_json() wrote.
  static std::optional<observed> from_json(const boost::json::value& stored);

private:
  uint64_t samples_ = 0;
  uint64_t version_ = 0;
  observed_shape root_;
};

} // namespace types
