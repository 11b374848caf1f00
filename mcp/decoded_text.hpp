// A text as it reads once it was decoded, and where each byte of it stood before: what is found in the one can be taken
// out of the other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mcp {

struct decoded_text {
  std::string text;
  std::vector<size_t> at; ///< where what became each byte begins, and the end
  bool is_other = false;  ///< than what it was made of
};

/// `is_cut`: the text went on; what is left of a code at its end (`%2`, `\u00`) is left out.
using text_decoder = decoded_text (*)(std::string_view from, bool is_cut);

/// `%2F` and the like, as URLs have them: which characters they encode is for each writer to say.
decoded_text decode_url(std::string_view from, bool is_cut);
/// `\n`, `\u00e4` and the like, as strings in JSON have them: likewise. Half a surrogate pair stays as it is.
decoded_text decode_json(std::string_view from, bool is_cut);
/// JSON in a string of JSON.
decoded_text decode_json_twice(std::string_view from, bool is_cut);

} // namespace mcp
