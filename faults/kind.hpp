// The kinds of faults that can be injected between this program and a server, and what each takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace faults {

enum class kind : uint8_t {
  latency,
  error,
  timeout,
  drop,
  disconnect,
  crash,
  hang,
  garbage,
  truncate,
  duplicate,
  reorder,
  slow_stream,
  rate_limited,
  unauthorized,
  schema_change,
  tool_gone,
  wrong_type,
  empty,
  huge,
  injection,
  refusal,
  nonsense,
  wrong_scope,
};
inline constexpr size_t kinds = 23;

/// What a rule is held against: calls, the beginning of a connection, its list of tools, questions to a provider of
/// models, or whether a server over HTTP takes the login of a request.
enum class moment : uint8_t { call, start, list, model, login };
inline constexpr size_t moments = 5;

struct kind_facts {
  kind what;
  std::string_view name;
  std::string_view summary;  ///< what happens, as a sentence
  std::string_view imitates; ///< where that comes from in reality
  std::string_view keys;     ///< of a rule, besides those of all kinds; separated by spaces
  std::string_view moments;  ///< separated by spaces
};

/// In the order of the enumeration.
const std::array<kind_facts, kinds>& all_kinds();
const kind_facts& facts_of(kind what);
/// Nothing: there is none of that name.
std::optional<kind> kind_named(std::string_view name);

std::string_view to_string(moment when);

/// Whether it only delays: it goes together with one of the others.
inline bool is_delay(kind what) { return what == kind::latency || what == kind::slow_stream; }

/// Whether a list of words that are separated by spaces has that one.
bool has_word(std::string_view words, std::string_view word);

} // namespace faults
