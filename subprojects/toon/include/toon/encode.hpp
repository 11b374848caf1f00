// JSON values to TOON.
#pragma once

#include "toon/options.hpp"

#include <string>

namespace boost::json {
class value;
}

namespace toon {

struct encoded {
  std::string text;    ///< UTF-8, lines end with LF, none at the end; empty for an empty object
  std::string problem; ///< empty: none; otherwise `text` is empty

  bool ok() const { return problem.empty(); }
};

/// The form of every value follows from its shape, so equal values (with equal order of keys) give equal texts. Numbers
/// have no exponent and all the digits that it takes to read the same number again; NaN and infinities become null. It
/// is a problem when a string is no UTF-8, or when a bound of `options` is passed.
encoded encode(const boost::json::value& value, const encode_options& options = {});

} // namespace toon
