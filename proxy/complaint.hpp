// What is told of arguments that a tool's schema does not allow: what is wrong, what the tool takes, what was given.
#pragma once

#include "json_schema/error.hpp"
#include "messages/errors.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace proxy {

/// `invalid_argument`, with the nearest names as suggestions. The text is bounded, however large schema and arguments
/// are.
msg::fault complaint(std::string_view full_name, std::vector<json_schema::error> errors,
                     const boost::json::value* input_schema, const boost::json::value& given);

/// A JSON pointer as programs write it: `/options/items/0/name` is `options.items[0].name`.
std::string dotted(std::string_view pointer);

} // namespace proxy
