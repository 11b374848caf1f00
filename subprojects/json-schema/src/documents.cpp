#include "documents.hpp"

#include "definitions.hpp"
#include "metaschemas.hpp"
#include "uri.hpp"

#include "text/percent.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>

namespace json_schema {

namespace {

using boost::json::object;
using boost::json::value;

const boost::json::string* text_member(const object& schema, std::string_view name) {
  auto* member = schema.if_contains(name);
  return member ? member->if_string() : nullptr;
}

std::string without_fragment(std::string_view uri) { return std::string{split_fragment(uri).document}; }

const value* child(const value& parent, const std::string& token) {
  if (auto* members = parent.if_object())
    return members->if_contains(token);
  auto* items = parent.if_array();
  size_t index = 0;
  auto [stop, ec] = std::from_chars(token.data(), token.data() + token.size(), index);
  bool is_index =
    ec == std::errc{} && stop == token.data() + token.size() && (token.size() == 1 || token.front() != '0');
  return items && is_index && index < items->size() ? &(*items)[index] : nullptr;
}

/// Of a URI that is told.
constexpr size_t shown_uri_bytes = 200;
/// What allocators and maps add to one thing that is kept.
constexpr size_t entry_bytes = 64;
/// A document, and as much again for what keywords make of it: names, and hashes of enumerations.
constexpr size_t copies_of_documents = 2;
/// In the resource, by its name, and for errors.
constexpr size_t copies_of_uris = 3;

} // namespace

std::string beyond(size_t limit, std::string_view what) {
  return "more than " + std::to_string(limit) + " " + std::string{what};
}

size_t memory_of(const value& v, size_t most) {
  size_t bytes = 0;
  std::vector<const value*> open{&v};
  while (!open.empty() && bytes <= most) {
    auto& next = *open.back();
    open.pop_back();
    bytes += sizeof(value);
    if (auto* text = next.if_string())
      bytes += text->size();
    else if (auto* items = next.if_array())
      for (auto& item : *items)
        open.push_back(&item);
    else if (auto* members = next.if_object())
      for (auto& [name, member] : *members) {
        bytes += name.size() + sizeof(boost::json::key_value_pair) - sizeof(value);
        open.push_back(&member);
      }
  }
  return bytes;
}

/// False, with a problem: too much would be kept.
bool documents::charge(size_t bytes) {
  memory_bytes += bytes;
  if (memory_bytes > options_.limits.memory_bytes && problem.empty())
    problem = "the schema takes " + beyond(options_.limits.memory_bytes, "bytes of memory");
  return problem.empty();
}

/// False, with a problem: it is too long, or all of them are.
bool documents::take_uri(const std::string& uri) {
  auto& most = options_.limits;
  uris_bytes_ += uri.size();
  if (uri.size() > most.uri_bytes)
    problem = "a URI of " + beyond(most.uri_bytes, "bytes: '") + uri.substr(0, shown_uri_bytes) + "...'";
  else if (uris_bytes_ > most.uris_bytes)
    problem = "URIs of " + beyond(most.uris_bytes, "bytes together");
  return problem.empty();
}

size_t documents::add(std::shared_ptr<const value> document, std::string_view uri, dialect otherwise) {
  all.push_back(document);
  charge(copies_of_documents * memory_of(*document, options_.limits.memory_bytes));
  auto out = add_resource(*document, without_fragment(uri), language_of(*document, standard_language(otherwise)));
  index(*document, out);
  return out;
}

size_t documents::add_resource(const value& root, std::string uri, const language& speaks) {
  auto out = resources.size();
  if (out >= options_.limits.ids && problem.empty())
    problem = beyond(options_.limits.ids, "subschemas with an '$id'");
  charge(sizeof(resource) + copies_of_uris * (uri.size() + entry_bytes));
  by_uri_.emplace(uri, out);
  by_root_.emplace(&root, out);
  resources.push_back({std::move(uri), &root, speaks, {}, {}});
  return out;
}

/// Finds all `$id`s and anchors: without recursion, for a schema may be nested as deeply as it likes.
void documents::index(const value& root, size_t resource) {
  std::vector<std::pair<const value*, size_t>> open{{&root, resource}};
  while (!open.empty() && problem.empty()) {
    auto [schema, parent] = open.back();
    open.pop_back();
    if (++indexed_ > options_.limits.subschemas)
      problem = "more than " + std::to_string(options_.limits.subschemas) + " subschemas";
    auto* members = schema->if_object();
    if (!members)
      continue;
    auto own = enter(*schema, parent);
    for (auto& [name, member] : *members)
      for_each_subschema(name, member, resources[own].speaks,
                         [&](const value& inner, std::string_view) { open.emplace_back(&inner, own); });
  }
}

size_t documents::enter(const value& schema, size_t parent) {
  auto& members = schema.get_object();
  auto own = parent;
  auto* id = text_member(members, "$id");
  bool is_old = resources[parent].speaks.draft == dialect::draft7;
  if (is_old && members.contains("$ref"))
    return own; // its siblings do not count
  if (id && !id->starts_with('#')) {
    auto uri = without_fragment(resolve_uri(resources[parent].uri, *id));
    if (!take_uri(uri))
      return own;
    if (resources[parent].root == &schema) {
      charge(copies_of_uris * uri.size());
      by_uri_.emplace(uri, parent);
      resources[parent].uri = uri;
    } else {
      own = add_resource(schema, uri, language_of(schema, resources[parent].speaks));
    }
  }
  if (is_old && id && !split_fragment(*id).fragment.empty() && charge(entry_bytes + id->size()))
    resources[own].anchors.emplace(split_fragment(*id).fragment, &schema);
  add_anchors(schema, own);
  return own;
}

void documents::add_anchors(const value& schema, size_t resource) {
  auto& to = resources[resource];
  if (to.speaks.draft == dialect::draft7)
    return;
  if (auto* anchor = text_member(schema.get_object(), "$anchor"); anchor && charge(entry_bytes + anchor->size()))
    to.anchors.emplace(*anchor, &schema);
  auto* dynamic =
    to.speaks.draft == dialect::draft2020_12 ? text_member(schema.get_object(), "$dynamicAnchor") : nullptr;
  if (dynamic && charge(2 * (entry_bytes + dynamic->size()))) {
    to.anchors.emplace(*dynamic, &schema);
    to.dynamic.emplace(*dynamic, &schema);
  }
}

language documents::language_of(const value& root, const language& otherwise) {
  auto* members = root.if_object();
  auto* uri = members ? text_member(*members, "$schema") : nullptr;
  language out = otherwise;
  if (!uri || find_standard_language(*uri, out))
    return out;
  return custom_language(*uri);
}

language documents::custom_language(std::string_view uri) {
  language out = standard_language(options_.default_dialect);
  auto metaschema = load(without_fragment(uri));
  auto* members = metaschema ? metaschema->if_object() : nullptr;
  if (!members && options_.mistaken == mistakes::ignored)
    return out;
  if (!members) {
    problem = "the dialect of '$schema' is not known: " + std::string{uri.substr(0, 200)};
    return out;
  }
  auto* written_in = text_member(*members, "$schema");
  if (written_in && !find_standard_language(*written_in, out)) {
    problem = "the metaschema of '$schema' is written in a dialect that is not known";
    return out;
  }
  if (auto* vocabularies = members->if_contains("$vocabulary"))
    problem = read_vocabularies(*vocabularies, out);
  return out;
}

std::shared_ptr<const value> documents::load(const std::string& uri) {
  if (auto known = find_metaschema(uri))
    return known;
  if (!options_.resolve || ++served_ > options_.limits.documents)
    return nullptr;
  auto served = options_.resolve(uri);
  return served ? std::make_shared<const value>(std::move(*served), boost::json::storage_ptr{}) : nullptr;
}

std::optional<size_t> documents::find_resource(const std::string& uri, dialect otherwise) {
  if (auto found = by_uri_.find(uri); found != by_uri_.end())
    return found->second;
  auto document = load(uri);
  return document ? std::optional{add(std::move(document), uri, otherwise)} : std::nullopt;
}

reference_target documents::find(std::string_view reference, size_t from) {
  auto [document, fragment] = split_fragment(reference);
  auto text = text::percent_decoded(fragment);
  if (!document.empty()) {
    auto uri = resolve_uri(resources[from].uri, document);
    auto found = take_uri(uri) ? find_resource(uri, resources[from].speaks.draft) : std::nullopt;
    if (!problem.empty() || !found)
      return {nullptr, 0, problem.empty() ? "there is no document '" + uri.substr(0, shown_uri_bytes) + "'" : problem};
    from = *found;
  }
  if (text.empty())
    return {resources[from].root, from, ""};
  if (text.starts_with('/'))
    return walk(text, from);
  auto& anchors = resources[from].anchors;
  auto found = anchors.find(text);
  if (found == anchors.end())
    return {nullptr, 0, "there is no anchor '" + text.substr(0, 200) + "'"};
  return {found->second, from, ""};
}

reference_target documents::walk(std::string_view pointer, size_t from) const {
  auto* at = resources[from].root;
  auto whole = pointer;
  while (!pointer.empty()) {
    auto end = std::min(pointer.find('/', 1), pointer.size());
    auto token = unescaped_token(pointer.substr(1, end - 1));
    at = token ? child(*at, *token) : nullptr;
    if (!at)
      return {nullptr, 0, "there is nothing at '" + std::string{whole.substr(0, 200)} + "'"};
    from = resource_of(*at, from);
    pointer.remove_prefix(end);
  }
  return {at, from, ""};
}

size_t documents::resource_of(const value& schema, size_t parent) const {
  if (by_root_.size() == 1 || !schema.is_object())
    return parent;
  auto found = by_root_.find(&schema);
  return found == by_root_.end() ? parent : found->second;
}

} // namespace json_schema
