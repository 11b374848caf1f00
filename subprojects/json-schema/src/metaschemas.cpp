#include "metaschemas.hpp"

#include <boost/json/parse.hpp>
#include <map>

namespace json_schema {

namespace {

using documents = std::map<std::string_view, std::shared_ptr<const boost::json::value>>;

documents parse_all() {
  documents out;
  for (auto all : {metaschemas_2020_12(), metaschemas_draft7()})
    for (auto& document : all)
      out.emplace(document.uri, std::make_shared<const boost::json::value>(boost::json::parse(document.text)));
  return out;
}

} // namespace

std::shared_ptr<const boost::json::value> find_metaschema(std::string_view uri) {
  static const auto all = parse_all();
  auto found = all.find(uri);
  return found == all.end() ? nullptr : found->second;
}

} // namespace json_schema
