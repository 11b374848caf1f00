// application/x-www-form-urlencoded: queries and bodies of requests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oauth {

using form = std::vector<std::pair<std::string, std::string>>;

/// As one text of such a form: letters, digits and `-._~` as they are, a blank as `%20`, which all readers understand.
std::string form_encoded(std::string_view text);
std::string form_text(const form& fields);

inline constexpr size_t form_fields_max = 100;

/// In their order, doubled ones too. What is beyond form_fields_max is left out.
form read_form(std::string_view text);

} // namespace oauth
