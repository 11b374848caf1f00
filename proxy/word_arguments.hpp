// Arguments of a tool as a person types them, `path=/tmp depth=2`, made into what the tool's schema wants.
#pragma once

#include "messages/errors.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace proxy {

/// Each word is `name=value`. By the type that the schema gives the parameter of that name: a text is taken as it is,
/// numbers, booleans and null are read, lists and objects are JSON. A list may also be given piece by piece: `tag=a
/// tag=b`. Where the schema says no type, what is JSON is read, and else it is a text. The fault (invalid_argument)
/// names the parameter, and what it takes, or the nearest one; or all that must be given and are not.
msg::outcome<boost::json::object> read_word_arguments(const std::vector<std::string>& words,
                                                      const boost::json::value& schema);

} // namespace proxy
