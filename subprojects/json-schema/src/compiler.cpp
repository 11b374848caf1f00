#include "compiler.hpp"

#include "numbers.hpp"
#include "uri.hpp"

#include "text/percent.hpp"

#include <algorithm>
#include <cmath>

namespace json_schema {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/// Of one subschema beside its node, about: the keywords, and its place in the lists of the compiler.
constexpr size_t keywords_bytes = 200;
constexpr double count_beyond = 18'446'744'073'709'551'616.0; // 2^64

bool turns_round(std::string_view name) {
  return name == "not" || name == "oneOf" || name == "if" || name == "contains" || name.starts_with("unevaluated");
}

bool is_unevaluated(const std::unique_ptr<keyword>& k) { return k->name.starts_with("unevaluated"); }

} // namespace

std::variant<schema, compile_error> compiler::run(value document) {
  auto kept = std::make_shared<const value>(std::move(document), boost::json::storage_ptr{});
  auto resource = documents_.add(kept, options.base_uri, options.default_dialect);
  if (documents_.problem.empty()) {
    node_of(*kept, resource);
    compile_waiting();
    while (program_->has_dynamic_references && !error_ && program_->dynamic.size() < documents_.resources.size())
      add_dynamic_anchors();
  }
  if (!documents_.problem.empty() && !error_)
    error_ = compile_error{"#", documents_.problem};
  if (error_)
    return *error_;
  if (mistakes_ > 0)
    loosen();
  program_->documents = documents_.all;
  program_->memory_bytes += documents_.memory_bytes;
  return schema{program_};
}

void compiler::compile_waiting() {
  while (!waiting_.empty() && !error_) {
    auto [n, schema] = waiting_.back();
    waiting_.pop_back();
    compile_node(*n, *schema);
  }
  auto& uris = program_->resource_uris;
  for (auto i = uris.size(); i < documents_.resources.size(); ++i)
    uris.push_back(documents_.resources[i].uri);
}

/// What is known so far; the documents count theirs themselves.
void compiler::check_memory(const node& n) {
  if (program_->memory_bytes + documents_.memory_bytes > options.limits.memory_bytes)
    stop(n, "", "the schema takes " + beyond(options.limits.memory_bytes, "bytes of memory"));
}

/// Of the next resource. Compiling them may bring further resources.
void compiler::add_dynamic_anchors() {
  auto resource = program_->dynamic.size();
  dynamic_anchors found;
  for (auto& [name, target] : documents_.resources[resource].dynamic) {
    auto& n = node_of(*target, resource);
    if (!n.parent && n.token.empty() && &n != &program_->nodes.front())
      n.token = name;
    found.emplace_back(name, &n);
  }
  program_->dynamic.push_back(std::move(found));
  compile_waiting();
}

node& compiler::node_of(const value& schema, size_t resource) {
  auto& known = nodes_[&schema];
  if (known)
    return *known;
  known = &program_->nodes.emplace_back();
  known->resource = resource;
  program_->memory_bytes += sizeof(node) + keywords_bytes;
  if (program_->nodes.size() > options.limits.subschemas)
    stop(*known, "", beyond(options.limits.subschemas, "subschemas"));
  check_memory(*known);
  waiting_.emplace_back(known, &schema);
  return *known;
}

const node& compiler::child(node& parent, std::string_view keyword, const value& schema, std::string token) {
  auto& out = node_of(schema, documents_.resource_of(schema, parent.resource));
  if (!out.parent && out.token.empty() && &out != &program_->nodes.front()) {
    out.parent = &parent;
    out.below = keyword;
    out.token = std::move(token);
  }
  return out;
}

const node* compiler::referred(node& from, std::string_view keyword, std::string_view reference) {
  auto target = documents_.find(reference, from.resource);
  if (!documents_.problem.empty())
    stop(from, keyword, documents_.problem);
  if (!target.schema) {
    fail(from, keyword, "'" + std::string{reference.substr(0, 200)} + "' leads nowhere: " + target.problem);
    return nullptr;
  }
  auto& out = node_of(*target.schema, target.resource);
  if (!out.parent && out.token.empty() && &out != &program_->nodes.front())
    out.token = text::percent_decoded(split_fragment(reference).fragment);
  return &out;
}

std::string compiler::dynamic_anchor(node& from, std::string_view reference) {
  auto name = text::percent_decoded(split_fragment(reference).fragment);
  auto target = documents_.find(reference, from.resource);
  if (!target.schema)
    return {};
  auto& dynamic = documents_.resources[target.resource].dynamic;
  auto found = dynamic.find(name);
  if (found == dynamic.end() || found->second != target.schema)
    return {};
  program_->has_dynamic_references = true;
  return name;
}

const pattern* compiler::compile_pattern(node& n, std::string_view keyword, std::string_view ecma) {
  auto& known = patterns_[ecma];
  if (known)
    return known;
  if (ecma.size() > options.limits.pattern_bytes) {
    fail(n, keyword, "a regular expression of more than " + std::to_string(options.limits.pattern_bytes) + " bytes");
    return nullptr;
  }
  auto& made = program_->patterns.emplace_back();
  if (auto found = made.compile(ecma); !found.empty()) {
    fail(n, keyword, "the regular expression '" + std::string{ecma.substr(0, 100)} + "': " + found);
    return nullptr;
  }
  pattern_memory_ += made.memory_bytes();
  program_->memory_bytes += made.memory_bytes();
  if (pattern_memory_ > options.limits.pattern_memory_bytes)
    stop(n, keyword, "the regular expressions take " + beyond(options.limits.pattern_memory_bytes, "bytes"));
  check_memory(n);
  return known = &made;
}

void compiler::fail(const node& n, std::string_view keyword, std::string message) {
  if (options.mistaken == mistakes::refused)
    return stop(n, keyword, std::move(message));
  if (++mistakes_ <= ignored_max)
    program_->ignored.push_back(problem_at(n, keyword, std::move(message)));
}

/// The first one counts.
void compiler::stop(const node& n, std::string_view keyword, std::string message) {
  if (!error_)
    error_ = problem_at(n, keyword, std::move(message));
}

compile_error compiler::problem_at(const node& n, std::string_view keyword, std::string message) {
  for (auto i = program_->resource_uris.size(); i < documents_.resources.size(); ++i)
    program_->resource_uris.push_back(documents_.resources[i].uri);
  return {program_->path(n, keyword), std::move(message)};
}

bool compiler::asserts_format(const node& n) const {
  return options.format == meaning::assertion
         || documents_.resources[n.resource].speaks.has(vocabulary_format_assertion);
}

void compiler::compile_node(node& n, const value& schema) {
  if (auto* all = schema.if_bool()) {
    n.says = *all ? node::meaning::anything : node::meaning::nothing;
    return;
  }
  auto* members = schema.if_object();
  if (!members) {
    n.says = node::meaning::anything;
    return fail(n, "", "a schema must be an object or a boolean");
  }
  add_keywords(n, *members);
  if (n.keywords.empty())
    n.says = node::meaning::anything;
  auto last = std::stable_partition(n.keywords.begin(), n.keywords.end(), [](auto& k) { return !is_unevaluated(k); });
  n.collects_evaluated = last != n.keywords.end();
}

void compiler::add_keywords(node& n, const object& schema) {
  auto speaks = documents_.resources[n.resource].speaks; // a copy: references may bring further resources
  auto* reference = speaks.draft == dialect::draft7 ? schema.if_contains("$ref") : nullptr;
  if (reference)
    return add_keyword(n, schema, *reference, build_ref);
  for (auto& [name, member] : schema) {
    auto* found = find_definition(name, speaks);
    if (found && found->add)
      add_keyword(n, schema, member, found->add);
    if (error_)
      return;
  }
}

/// What a wrong keyword has added goes with it.
void compiler::add_keyword(node& n, const object& schema, const value& v, build add) {
  auto before = n.keywords.size(), mistakes = mistakes_;
  add(*this, n, schema, v);
  if (mistakes_ != mistakes)
    n.keywords.resize(before);
}

/// A keyword that is ignored makes what stands below `not` and its like allow more, and the whole allow less.
void compiler::loosen() {
  for (auto& n : program_->nodes) {
    std::erase_if(n.keywords, [](auto& k) { return turns_round(k->name); });
    n.collects_evaluated = false;
    if (n.keywords.empty() && n.says == node::meaning::keywords)
      n.says = node::meaning::anything;
  }
}

const object* need_object(compiler& to, const node& n, std::string_view keyword, const value& v) {
  if (!v.is_object())
    to.fail(n, keyword, "must be an object");
  return v.if_object();
}

const array* need_array(compiler& to, const node& n, std::string_view keyword, const value& v) {
  if (!v.is_array())
    to.fail(n, keyword, "must be an array");
  return v.if_array();
}

const boost::json::string* need_string(compiler& to, const node& n, std::string_view keyword, const value& v) {
  if (!v.is_string())
    to.fail(n, keyword, "must be a string");
  return v.if_string();
}

std::optional<uint64_t> need_count(compiler& to, const node& n, std::string_view keyword, const value& v) {
  if (!v.is_number() || !is_integer(v) || std::is_lt(compare_numbers(v, 0))) {
    to.fail(n, keyword, "must be an integer, 0 or more");
    return {};
  }
  if (auto* d = v.if_double())
    return *d < count_beyond ? static_cast<uint64_t>(*d) : UINT64_MAX;
  return v.to_number<uint64_t>();
}

bool is_first(const object& schema, const value& v, std::initializer_list<std::string_view> names) {
  for (auto name : names)
    if (auto* found = schema.if_contains(name))
      return found == &v;
  return false;
}

} // namespace json_schema
