// Makes every message serialisable: a struct that lists its members in `fields()` can be inspected by CAF.
// Knows nothing of CAF but the shape of its inspectors, so that message headers stay cheap to include.
#pragma once

#include <tuple>

namespace msg {

template <class T>
concept has_fields = requires(T& x) { x.fields(); };

template <class Inspector, has_fields T>
typename Inspector::result_type inspect(Inspector& f, T& x) {
  return std::apply([&](auto&... members) { return f(members...); }, x.fields());
}

} // namespace msg
