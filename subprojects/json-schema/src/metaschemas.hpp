// The metaschemas, so that a schema can refer to them: nothing is ever fetched.
#pragma once

#include <boost/json/value.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace json_schema {

struct embedded_document {
  std::string_view uri, text;
};
std::span<const embedded_document> metaschemas_2020_12();
std::span<const embedded_document> metaschemas_draft7();

/// Null if there is none of that name. All are parsed when one is first asked for; thread-safe.
std::shared_ptr<const boost::json::value> find_metaschema(std::string_view uri);

} // namespace json_schema
