#include "formats.hpp"

#include <algorithm>

namespace json_schema {

namespace {

constexpr format all[] = {
  {"date", "a date (RFC 3339)", "2024-12-31", is_date},
  {"date-time", "a date and time with offset (RFC 3339)", "2024-12-31T23:59:59Z", is_date_time},
  {"duration", "a duration (ISO 8601)", "P1DT12H", is_duration},
  {"email", "an email address", "name@example.com", is_email},
  {"hostname", "a host name", "www.example.com", is_hostname},
  {"idn-email", "an email address", "name@example.com", is_idn_email},
  {"idn-hostname", "a host name", "www.example.com", is_idn_hostname},
  {"ipv4", "an IPv4 address", "192.0.2.1", is_ipv4},
  {"ipv6", "an IPv6 address", "2001:db8::1", is_ipv6},
  {"iri", "an IRI with its scheme", "https://example.com/", is_iri},
  {"iri-reference", "an IRI or a relative reference", "/path", is_iri_reference},
  {"json-pointer", "a JSON pointer", "/a/0", is_json_pointer},
  {"regex", "a regular expression (ECMA-262)", "^[a-z]+$", is_regex},
  {"relative-json-pointer", "a relative JSON pointer", "1/a", is_relative_json_pointer},
  {"time", "a time with offset (RFC 3339)", "23:59:59Z", is_time},
  {"uri", "a URI with its scheme", "https://example.com/", is_uri},
  {"uri-reference", "a URI or a relative reference", "/path", is_uri_reference},
  {"uri-template", "a URI template (RFC 6570)", "https://example.com/{id}", is_uri_template},
  {"uuid", "a UUID", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", is_uuid},
};

} // namespace

const format* find_format(std::string_view name) {
  auto* found = std::find_if(std::begin(all), std::end(all), [&](auto& f) { return f.name == name; });
  return found == std::end(all) ? nullptr : found;
}

} // namespace json_schema
