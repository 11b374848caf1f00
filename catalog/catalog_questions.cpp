// What the catalog is asked: which tools fit, what a tool looks like, what its results looked like.
#include "catalog/catalog.hpp"
#include "catalog/tool_text.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

namespace catalog {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

msg::search_fit fit_of(tool_search::fit f) {
  switch (f) {
    case tool_search::fit::nothing: return msg::search_fit::nothing;
    case tool_search::fit::poor: return msg::search_fit::poor;
    case tool_search::fit::good: return msg::search_fit::good;
  }
  return msg::search_fit::good;
}

/// Names whose spellings are kept for the next question; each takes some 300 bytes.
constexpr size_t spelled_names_max = 200'000;

/// Each takes half a millisecond at most.
constexpr uint32_t names_between_looks = 16;
/// Filters that took too long are remembered, so that a program which asks again and again has no more of other
/// callers' time. More than there are runs with such filters at a time.
constexpr size_t too_slow_max = 32;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

bool are_equal(msg::tool_filter a, msg::tool_filter b) { return a.fields() == b.fields(); }

/// Null: the filter has not taken too long.
const fault* remembered(const std::deque<std::pair<msg::tool_filter, fault>>& too_slow,
                        const msg::tool_filter& filter) {
  auto found =
    std::find_if(too_slow.begin(), too_slow.end(), [&](auto& each) { return are_equal(each.first, filter); });
  return found == too_slow.end() ? nullptr : &found->second;
}

/// Of names that are held against a filter one after the other: looks now and then whether that is to go on.
class filtering {
public:
  explicit filtering(const reason_to_stop& stops) : stops_(stops) {}

  /// Once false, always.
  bool goes_on() {
    if (stops_ && why_.code == errc::none && names_++ % names_between_looks == 0)
      why_ = stops_();
    return why_.code == errc::none;
  }
  const fault& why() const { return why_; }

private:
  const reason_to_stop& stops_;
  uint32_t names_ = 0;
  fault why_;
};

} // namespace

/// A hostile program has a thousand patterns, and hostile servers have long names: this may take seconds.
fault tool_catalog::permit(const msg::tool_filter& filter, const may_use& may, const reason_to_stop& stops,
                           permitted& to) const {
  to = {filter, std::vector<bool>(index_.size()), true};
  filtering work{stops};
  for (uint32_t t = 0; t < index_.size(); ++t) {
    if (!work.goes_on())
      break;
    bool is_allowed = may(index_.server_of(t), index_.name_of(t)) && !is_shut(index_.server_of(t), index_.name_of(t));
    to.tools[t] = is_allowed;
    to.is_everything = to.is_everything && is_allowed;
  }
  return work.why();
}

/// The runs of a session ask with the same filter again and again.
msg::outcome<tool_catalog::permitted_tools>
tool_catalog::permitted_by(const msg::tool_filter& filter, const may_use& may, const reason_to_stop& stops) {
  if (auto* why = remembered(too_slow_, filter))
    return *why;
  auto& kept = are_equal(filter, {}) ? permitted_to_all_ : last_permitted_;
  if (!kept || !are_equal(kept->filter, filter)) {
    permitted made;
    if (auto why = permit(filter, may, stops, made); why.code != errc::none)
      return why;
    kept = std::move(made);
  }
  return permitted_tools{kept->is_everything ? nullptr : &kept->tools};
}

msg::outcome<msg::catalog_found> tool_catalog::search(const msg::tool_query& query, const reason_to_stop& stops) {
  be_ready_to_search();
  auto may = allowed_(query.allowed);
  auto ended = [&](fault why) {
    if (why.code == errc::limit_exceeded && !remembered(too_slow_, query.allowed))
      too_slow_.emplace_front(query.allowed, why);
    too_slow_.resize(std::min(too_slow_.size(), too_slow_max));
    return why;
  };
  auto tools = permitted_by(query.allowed, may, stops);
  if (!tools.ok())
    return ended(std::move(tools.error));
  msg::catalog_found out;
  std::set<std::string> unknown;
  filtering work{stops};
  for (auto& [name, s] : servers_)
    if (s.content.empty() && work.goes_on() && may(name, {}))
      unknown.insert(name);
  out.named = query.server.empty() ? names_.spoken_of_in(query.text, unknown) : std::vector<std::string>{query.server};
  std::erase_if(out.named, [&](auto& name) {
    return !known(name) || !work.goes_on() || !(unknown.contains(name) || may(name, {}));
  });
  if (work.why().code != errc::none)
    return ended(work.why());
  out.matches.not_indexed.assign(unknown.begin(), unknown.end());
  if (is_blank(query.text))
    list_all(query, tools.value, out.matches);
  else
    rank(query, tools.value, out.matches);
  return out;
}

void tool_catalog::list_all(const msg::tool_query& query, permitted_tools permitted, msg::tool_matches& to) {
  auto [first, count] =
    query.server.empty() ? std::pair{uint32_t{0}, static_cast<uint32_t>(index_.size())} : index_.tools_of(query.server);
  std::vector<uint32_t> listed;
  for (auto t = first; t < first + count; ++t)
    if (!permitted || (*permitted)[t])
      listed.push_back(t);
  std::sort(listed.begin(), listed.end(), [&](auto a, auto b) {
    return std::pair{index_.server_number(a), index_.name_of(a)}
           < std::pair{index_.server_number(b), index_.name_of(b)};
  });
  to.total = static_cast<uint32_t>(listed.size());
  if (query.limit > 0 && listed.size() > query.limit)
    listed.resize(query.limit);
  to.tools = definitions_of(listed);
  std::erase_if(to.tools, [](auto& t) { return t.name.empty(); });
}

void tool_catalog::rank(const msg::tool_query& query, permitted_tools permitted, msg::tool_matches& to) {
  auto answer = tool_search::search(index_, {query.text, query.server, query.limit, permitted});
  to.total = static_cast<uint32_t>(std::max(answer.matching, answer.hits.size()));
  to.fit = fit_of(answer.best);
  std::vector<uint32_t> numbers;
  numbers.reserve(answer.hits.size());
  for (auto& h : answer.hits)
    numbers.push_back(h.tool);
  auto tools = definitions_of(numbers);
  for (size_t i = 0; i < tools.size(); ++i) {
    if (tools[i].name.empty())
      continue;
    auto& also_on = to.also_on.emplace_back();
    for (auto same : answer.hits[i].same)
      if (auto& server = index_.server_of(same); std::find(also_on.begin(), also_on.end(), server) == also_on.end())
        also_on.push_back(server);
    to.tools.push_back(std::move(tools[i]));
  }
}

/// In the same order, up to catalog_answer_bytes_max. One that another program has replaced meanwhile has no name.
msg::tool_list tool_catalog::definitions_of(const std::vector<uint32_t>& tools) {
  msg::tool_list out(tools.size());
  std::vector<store::place> places;
  std::vector<size_t> whose; // of each place, in `out`
  for (size_t i = 0; i < tools.size(); ++i) {
    auto& s = *known(index_.server_of(tools[i]));
    auto position = index_.position_of(tools[i]);
    if (s.is_held) {
      out[i] = (*s.held)[position];
    } else {
      places.push_back({s.digest, position});
      whose.push_back(i);
    }
  }
  size_t bytes = 0;
  auto take = [&](size_t which, auto name, auto description, auto definition) {
    auto i = whose[which];
    bytes += definition.size();
    if (name == index_.name_of(tools[i]))
      out[i] = {index_.server_of(tools[i]), std::string{name}, std::string{description},
                msg::document::parse(definition).value};
    return bytes < limits::catalog_answer_bytes_max;
  };
  auto problem = places.empty() ? fault{} : store_.read(places, take);
  if (problem.code != errc::none)
    warn(problem.message);
  for (auto& t : out)
    mark(t);
  return out;
}

std::optional<uint32_t> tool_catalog::spelled_names::find(std::string_view wanted) const {
  auto which = spell(wanted);
  return which < 0 ? std::nullopt : std::optional{numbers[static_cast<size_t>(which)]};
}

/// 100,000 names take 0.3 s, and a program may ask for one wrong name after the other.
const tool_catalog::spelled_server& tool_catalog::spelled(const std::string& server, const make_speller& make) {
  if (auto kept = spelled_.find(server); kept != spelled_.end())
    return kept->second;
  auto [first, count] = index_.tools_of(server);
  if (spelled_count_ + count > spelled_names_max) {
    spelled_.clear();
    spelled_count_ = 0;
  }
  spelled_count_ += count;
  auto& made = spelled_[server];
  std::vector<std::string_view> usable, held;
  for (auto t = first; t < first + count; ++t) {
    bool shut = is_shut(server, index_.name_of(t));
    (shut ? held : usable).push_back(index_.name_of(t));
    (shut ? made.held : made.usable).numbers.push_back(t);
  }
  made.usable.spell = make(usable);
  made.held.spell = make(held);
  return made;
}

/// Of a tool that is held: its own name means no other one, unless that was approved before it appeared.
bool tool_catalog::is_named_by(uint32_t held, std::string_view wanted) const {
  if (index_.name_of(held) != wanted)
    return false;
  auto& changes = servers_.find(index_.server_of(held))->second.changes;
  auto change = changes.find(wanted);
  return change == changes.end() || change->second != tool_pinning::change_of_new;
}

/// The one that may be used, else the one that is held; both null: there is none.
std::pair<std::optional<uint32_t>, std::optional<uint32_t>>
tool_catalog::usable_or_held(const std::string& server, std::string_view wanted, const make_speller& make) {
  auto& tools = spelled(server, make);
  auto held = tools.held.find(wanted);
  if (held && is_named_by(*held, wanted))
    return {std::nullopt, held};
  return {tools.usable.find(wanted), held};
}

msg::outcome<msg::tool_info> tool_catalog::find(const std::string& name, std::string_view wanted,
                                                const make_speller& make) {
  be_ready_to_search();
  fault unknown{errc::unknown_tool, "server '" + name + "' has no such tool as far as is known"};
  if (!known(name))
    return std::move(unknown).at(name);
  auto [usable, held] = usable_or_held(name, wanted, make);
  if (!usable)
    return held ? held_fault(*known(name), std::string{index_.name_of(*held)}) : std::move(unknown).at(name);
  auto found = definitions_of({*usable});
  if (found.front().name.empty())
    return std::move(unknown).at(name);
  return std::move(found.front());
}

bool tool_catalog::is_meant(const std::string& server, std::string_view tool, std::string_view wanted,
                            const make_speller& make) {
  be_ready_to_search();
  if (!known(server))
    return false;
  auto chosen = usable_or_held(server, wanted, make).first;
  return chosen && index_.name_of(*chosen) == tool;
}

msg::indexed_servers tool_catalog::servers() {
  be_ready_to_search();
  msg::indexed_servers out;
  for (auto& [name, s] : servers_) {
    if (s.content.empty())
      continue;
    auto& to = out.emplace_back(msg::indexed_server{name, {}, {}});
    auto [first, count] = index_.tools_of(name);
    for (auto t = first; t < first + count; ++t) {
      if (!is_shut(name, index_.name_of(t)))
        to.tools.emplace_back(index_.name_of(t));
    }
    for (auto& [tool, what] : s.changes)
      to.changed.push_back(tool);
  }
  return out;
}

msg::outcome<stored_shape> tool_catalog::observed(const std::string& server, const std::string& tool) {
  auto* s = known(server);
  return s ? store_.observed(s->digest, tool) : msg::outcome<stored_shape>{};
}

fault tool_catalog::observe(const std::string& server, const std::string& tool, const stored_shape& shape) {
  if (folder_.empty())
    return {};
  auto* s = known(server);
  return s ? store_.observe(s->digest, tool, shape)
           : fault{errc::unknown_server, "no server '" + server + "' is configured"};
}

} // namespace catalog
