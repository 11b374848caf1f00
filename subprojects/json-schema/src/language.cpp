#include "language.hpp"

#include <algorithm>
#include <boost/json/object.hpp>

namespace json_schema {

namespace {

struct known_metaschema {
  std::string_view uri;
  dialect draft;
};
constexpr known_metaschema metaschemas[] = {
  {"https://json-schema.org/draft/2020-12/schema", dialect::draft2020_12},
  {"https://json-schema.org/draft/2019-09/schema", dialect::draft2019_09},
  {"http://json-schema.org/draft-07/schema", dialect::draft7},
  {"https://json-schema.org/draft-07/schema", dialect::draft7},
  {"http://json-schema.org/draft-06/schema", dialect::draft7},
  {"https://json-schema.org/draft-06/schema", dialect::draft7},
};

struct known_vocabulary {
  std::string_view name;
  uint8_t bits;
};
constexpr known_vocabulary vocabularies[] = {
  {"core", vocabulary_core},
  {"applicator", vocabulary_applicator},
  {"unevaluated", vocabulary_unevaluated},
  {"validation", vocabulary_validation},
  {"meta-data", 0},
  {"format-annotation", vocabulary_format},
  {"format", vocabulary_format},
  {"format-assertion", vocabulary_format | vocabulary_format_assertion},
  {"content", vocabulary_content},
};

} // namespace

language standard_language(dialect draft) { return {draft, static_cast<uint8_t>(0xff & ~vocabulary_format_assertion)}; }

bool find_standard_language(std::string_view uri, language& out) {
  if (uri.ends_with('#'))
    uri.remove_suffix(1);
  auto* found = std::find_if(std::begin(metaschemas), std::end(metaschemas), [&](auto& m) { return m.uri == uri; });
  if (found == std::end(metaschemas))
    return false;
  out = standard_language(found->draft);
  return true;
}

std::string read_vocabularies(const boost::json::value& all, language& out) {
  auto* object = all.if_object();
  if (!object)
    return "'$vocabulary' is no object";
  out.vocabularies = vocabulary_core;
  for (auto& [uri, required] : *object) {
    std::string_view name = uri;
    auto known = std::find_if(std::begin(vocabularies), std::end(vocabularies), [&](auto& v) {
      return name.starts_with("https://json-schema.org/draft/20")
             && name.ends_with(std::string{"/vocab/"}.append(v.name));
    });
    if (known != std::end(vocabularies))
      out.vocabularies |= known->bits;
    else if (required == true)
      return "the metaschema requires a vocabulary that is not known: " + std::string{name.substr(0, 200)};
  }
  return {};
}

} // namespace json_schema
