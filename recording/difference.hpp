// Where two JSON values differ, for people.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace recording {

/// Bytes of a value that are shown.
inline constexpr size_t difference_bytes_max = 120;

struct difference {
  std::string path;    ///< "content[0].text"; empty: the whole
  std::string was, is; ///< "nothing" where there is none
};

/// The first `most` of them, in the order of what was. Members may be in any order; 1 and 1.0 are the same.
std::vector<difference> differences(const boost::json::value& was, const boost::json::value& is, size_t most);

} // namespace recording
