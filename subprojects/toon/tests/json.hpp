// JSON values in tests.
#pragma once

#include <boost/json/value.hpp>

#include <string_view>

namespace toon::test {

/// Throws when it is none.
boost::json::value parsed(std::string_view text);

/// As TOON defines it: numbers by their mathematical value, whatever holds them; objects with the same order of keys.
bool same(const boost::json::value& a, const boost::json::value& b);

} // namespace toon::test
