// Formats that strings can be asserted to have.
#pragma once

#include <string_view>

namespace json_schema {

struct format {
  std::string_view name, words, example;
  bool (*matches)(std::string_view text);
};

/// Null for an unknown one, which asserts nothing.
const format* find_format(std::string_view name);

bool is_date(std::string_view text);
bool is_time(std::string_view text);
bool is_date_time(std::string_view text);
bool is_duration(std::string_view text);

bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_hostname(std::string_view text);
bool is_idn_hostname(std::string_view text);
bool is_email(std::string_view text);
bool is_idn_email(std::string_view text);

bool is_uri(std::string_view text);
bool is_uri_reference(std::string_view text);
bool is_iri(std::string_view text);
bool is_iri_reference(std::string_view text);
bool is_uri_template(std::string_view text);

bool is_uuid(std::string_view text);
bool is_json_pointer(std::string_view text);
bool is_relative_json_pointer(std::string_view text);
bool is_regex(std::string_view text);

} // namespace json_schema
