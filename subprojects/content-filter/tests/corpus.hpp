// Texts with made-up secrets and personal data in them. No secret is written anywhere: each is put together of the name
// of its kind and characters from a generator, which gives the same ones in every run.
#pragma once

#include "content_filter/filter.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace corpus {

struct example {
  std::string kind; ///< for the failure's message
  content_filter::content_class what;
  std::string text;
  std::string clean; ///< what the filter has to make of it
};

/// Text from a form: a letter and a number make that many characters of a group, `<...>` is as it stands. Groups: a
/// letters and digits, w those with - and _, b those with + and /, h and H hexadecimal, d digits, u upper case and
/// digits, l lower case and digits.
std::string made(std::string_view form, unsigned seed);

/// Puts `secret` into a context, which has `@@` where it belongs.
void add(std::vector<example>& out, std::string kind, content_filter::content_class what, std::string_view context,
         std::string_view secret);

std::vector<example> secrets();       ///< that begin with the name of their kind
std::vector<example> named_secrets(); ///< told by what is before them
std::vector<example> tokens();        ///< JSON web tokens
std::vector<example> pem_blocks();
std::vector<example> personal_data();
std::vector<example> all();

/// Texts that look like one of those and are none.
std::vector<std::string> look_alikes();

} // namespace corpus
