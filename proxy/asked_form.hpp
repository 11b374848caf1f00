// The form of what a program asks a person: flat, as MCP has it, and bounded; and what the person has filled in.
#pragma once

#include "messages/errors.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string_view>

namespace boost::json {
class value;
}

namespace proxy {

/// What a person is willing to fill in: fields of a form, choices of one field, bytes of all its texts together.
inline constexpr size_t form_fields_max = 20;
inline constexpr size_t form_choices_max = 100;
inline constexpr size_t form_bytes_max = 16u << 10;
/// The field of a form that the program has not described.
inline constexpr std::string_view form_answer = "answer";

/// A schema as `requestedSchema` has it: `{type: "object", properties, required}`, whose fields are strings (also of a
/// format, or of some choices), numbers, integers and booleans. Of one such field alone a form is made with a field
/// `answer`; of none (null) one with a text. invalid_argument: what is wrong, as a sentence that begins with `where`.
msg::outcome<boost::json::object> asked_form(std::string_view where, const boost::json::value* schema);

/// What was filled in, field by field as the form has them, with the defaults of what was left out; nothing else of it.
/// protocol_violation: the client's answer is none to that form. The error quotes nothing of it.
msg::outcome<boost::json::object> filled_form(const boost::json::object& form, const boost::json::object* content);

} // namespace proxy
