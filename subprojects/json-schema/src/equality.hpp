// When two values are the same: numbers by value, objects without order.
#pragma once

#include "budget.hpp"

#include <boost/json/value.hpp>

#include <vector>

namespace json_schema {

/// Nesting beyond which values are not compared: the budget is stopped.
inline constexpr size_t equality_depth_max = 1'000;

bool equal(const boost::json::value& a, const boost::json::value& b, budget& steps, size_t depth = 0);

/// The same for values that are equal. Looks at the first levels only, so it takes no more than a comparison would.
size_t hash(const boost::json::value& value);

/// Finds a value among many: by its hash when there are more than a few.
class value_set {
public:
  /// The array must outlive the set.
  explicit value_set(const boost::json::array& values);
  bool contains(const boost::json::value& value, budget& steps) const;

private:
  struct entry {
    size_t hash;
    const boost::json::value* value;
  };
  const boost::json::array& values_;
  std::vector<entry> by_hash_; ///< empty for a few values
};

/// Positions of two equal values; both 0 if there are none.
struct twins {
  size_t first = 0, second = 0;
};
twins find_twins(const boost::json::array& values, budget& steps);

} // namespace json_schema
