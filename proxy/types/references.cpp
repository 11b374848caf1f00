#include "proxy/types/references.hpp"

#include "proxy/types/bounds.hpp"

#include <boost/json/array.hpp>

#include <charconv>
#include <vector>

namespace types {

namespace json = boost::json;

namespace {

std::string_view text_of(const json::object& object, std::string_view key) {
  auto* v = object.if_contains(key);
  return v && v->is_string() ? std::string_view{v->get_string()} : std::string_view{};
}

/// `$id`, and `id` as draft-04 wrote it. A mere fragment names no resource.
std::string_view id_of(const json::object& schema) {
  for (auto key : {"$id", "id"})
    if (auto id = text_of(schema, key); !id.empty() && id[0] != '#' && id.size() <= bounds::reference_bytes_max)
      return id;
  return {};
}

bool is_absolute(std::string_view uri) {
  auto colon = uri.find(':');
  return colon != uri.npos && colon > 0 && uri.find_first_of("/?#") > colon;
}

/// Below these are values, whose `id` names nothing.
bool holds_values(std::string_view key) {
  return key == "enum" || key == "const" || key == "default" || key == "examples" || key == "example";
}

std::string_view without_fragment(std::string_view uri) { return uri.substr(0, uri.find('#')); }

/// RFC 3986 without dot segments, which ids inside of one document do not use.
std::string resolved(std::string_view uri, std::string_view base) {
  uri = without_fragment(uri);
  if (uri.empty())
    return std::string{base};
  if (is_absolute(uri))
    return std::string{uri};
  auto authority = base.find("://");
  auto path = authority == base.npos ? 0 : base.find('/', authority + 3);
  if (path == base.npos)
    return std::string{base}.append(uri[0] == '/' ? "" : "/").append(uri);
  if (uri[0] == '/')
    return std::string{base.substr(0, path)}.append(uri);
  auto folder = base.rfind('/');
  return std::string{base.substr(0, folder == base.npos ? 0 : folder + 1)}.append(uri);
}

/// What of a URI is written as %XX.
std::string decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    auto* begin = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() && std::from_chars(begin, begin + 2, byte, 16).ptr == begin + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string unescaped(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i)
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1'))
      out += token[++i] == '0' ? '~' : '/';
    else
      out += token[i];
  return out;
}

const json::value* member(const json::value& of, const std::string& token) {
  if (auto* object = of.if_object())
    return object->if_contains(token);
  size_t index = 0;
  auto* end = token.data() + token.size();
  auto* array = of.if_array();
  if (!array || token.empty() || std::from_chars(token.data(), end, index).ptr != end)
    return nullptr;
  return array->if_contains(index);
}

} // namespace

references::references(const json::value& document) {
  auto& whole = resources_.emplace_back(resource{&document, {}});
  if (auto* schema = document.if_object())
    whole.uri = without_fragment(id_of(*schema));
}

const resource& references::inside(const json::object& schema, const resource& outer) {
  if (id_of(schema).empty())
    return outer;
  index();
  auto found = begins_.find(&schema);
  return found == begins_.end() ? outer : *found->second;
}

/// Once, when the first reference needs it.
void references::index() {
  if (std::exchange(is_indexed_, true))
    return;
  auto* whole = &resources_.front();
  by_uri_.emplace(whole->uri, whole);
  std::vector<visit> open{{whole->root, whole}};
  for (size_t seen = 0; !open.empty() && seen < bounds::indexed_values_max; ++seen) {
    auto [value, in] = open.back();
    open.pop_back();
    if (auto* object = value->if_object()) {
      in = index_object(*object, *value, in);
      for (auto& [key, inner] : *object)
        if (inner.is_structured() && !holds_values(key) && open.size() < bounds::indexed_values_max)
          open.push_back({&inner, in});
    } else if (auto* array = value->if_array()) {
      for (auto& inner : *array)
        if (inner.is_structured() && open.size() < bounds::indexed_values_max)
          open.push_back({&inner, in});
    }
  }
}

/// Gives the resource that what lies in the object belongs to.
const resource* references::index_object(const json::object& object, const json::value& value, const resource* in) {
  if (auto id = id_of(object); !id.empty()) {
    if (value.if_object() != resources_.front().root->if_object())
      in = &resources_.emplace_back(resource{&value, resolved(id, in->uri)});
    begins_.emplace(&object, in);
    by_uri_.emplace(in->uri, in);
  }
  for (auto key : {"$anchor", "$dynamicAnchor"})
    if (auto name = text_of(object, key); !name.empty() && name.size() <= bounds::reference_bytes_max)
      anchors_.emplace(std::pair{in, std::string{name}}, &value);
  for (auto key : {"$id", "id"}) // draft-07 and before: an anchor is an id that is a fragment
    if (auto id = text_of(object, key); id.size() > 1 && id[0] == '#' && id.size() <= bounds::reference_bytes_max)
      anchors_.emplace(std::pair{in, std::string{id.substr(1)}}, &value);
  return in;
}

references::target references::at_pointer(std::string_view pointer, const resource& in) const {
  target out{in.root, &in, {}};
  while (!pointer.empty() && out.schema) {
    pointer.remove_prefix(1);
    auto end = std::min(pointer.find('/'), pointer.size());
    out.name = unescaped(pointer.substr(0, end));
    out.schema = member(*out.schema, out.name);
    pointer.remove_prefix(end);
  }
  return out;
}

references::target references::find(std::string_view reference, const resource& from) {
  if (reference.size() > bounds::reference_bytes_max)
    return {};
  index();
  auto hash = reference.find('#');
  auto fragment = hash == reference.npos ? std::string{} : decoded(reference.substr(hash + 1));
  auto* in = &from;
  if (hash != 0) {
    auto known = by_uri_.find(resolved(reference, from.uri));
    if (known == by_uri_.end())
      return {};
    in = known->second;
  }
  if (fragment.empty() || fragment[0] == '/')
    return at_pointer(fragment, *in);
  auto anchor = anchors_.find({in, fragment});
  return anchor == anchors_.end() ? target{} : target{anchor->second, in, fragment};
}

} // namespace types
