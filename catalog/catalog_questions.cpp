// What the catalog is asked: which tools fit, what a tool looks like, what its results looked like.
#include "catalog/catalog.hpp"
#include "catalog/tool_text.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
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

// One turn of a list: some 10 ms. Then others who wait have theirs.
constexpr size_t turn_bytes_max = 1u << 20;
constexpr size_t turn_tools_max = 1'000;

/// In order of server and name. `permitted`: null: all.
std::vector<uint32_t> tools_to_list(const tool_search::search_index& index, const std::string& server,
                                    const std::vector<bool>* permitted) {
  auto [first, count] =
    server.empty() ? std::pair{uint32_t{0}, static_cast<uint32_t>(index.size())} : index.tools_of(server);
  std::vector<uint32_t> listed;
  for (auto t = first; t < first + count; ++t)
    if (!permitted || (*permitted)[t])
      listed.push_back(t);
  std::sort(listed.begin(), listed.end(), [&](auto a, auto b) {
    return std::pair{index.server_number(a), index.name_of(a)} < std::pair{index.server_number(b), index.name_of(b)};
  });
  return listed;
}

/// A tool that can not be read is there all the same.
fault unread(const std::string& problem) {
  return {errc::internal, "the catalog knows tools that fit, and can not read what they are: " + problem
                            + ". They can be called by name, and listServers names them; try again later"};
}

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

msg::outcome<msg::catalog_found> tool_catalog::search(const msg::tool_query& query, const reason_to_stop& stops,
                                                      progress& so_far) {
  be_ready_to_search();
  if (auto begun = std::dynamic_pointer_cast<listing>(std::exchange(so_far, nullptr))) {
    auto why = stops ? stops() : fault{}; // its run may have ended since
    return why.code == errc::none ? msg::outcome<msg::catalog_found>{list_on(begun, so_far)} : std::move(why);
  }
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
  if (is_blank(query.text)) {
    auto listed = tools_to_list(index_, query.server, tools.value);
    out.matches.total = static_cast<uint32_t>(listed.size());
    if (query.limit > 0 && listed.size() > query.limit)
      listed.resize(query.limit);
    auto begun = std::make_shared<listing>();
    begun->found = std::move(out);
    begun->places = places_of(listed);
    return list_on(begun, so_far);
  }
  rank(query, tools.value, out.matches);
  return out;
}

msg::catalog_found search_to_the_end(tool_catalog& of, const msg::tool_query& query) {
  tool_catalog::progress so_far;
  auto found = of.search(query, {}, so_far);
  while (so_far)
    found = of.search(query, {}, so_far);
  return std::move(found.value);
}

/// What is held since the list was begun is not in it.
msg::catalog_found tool_catalog::list_on(const std::shared_ptr<listing>& of, progress& so_far) {
  auto count = of->places.tools.size();
  auto end = std::min(count, of->next + turn_tools_max);
  auto read = read_definitions(store_, of->places, of->next, end, turn_bytes_max);
  if (!read.problem.empty()) {
    warn(read.problem);
    of->found.matches.failures = {unread(read.problem)};
  }
  of->next += read.tools.size();
  of->bytes += read.bytes;
  for (auto& t : read.tools) {
    if (t.name.empty() || is_shut(t.server, t.name))
      continue;
    mark(t);
    of->found.matches.tools.push_back(std::move(t));
  }
  if (of->next < count && of->bytes < limits::catalog_answer_bytes_max) {
    so_far = of;
    return {};
  }
  return std::move(of->found);
}

void tool_catalog::rank(const msg::tool_query& query, permitted_tools permitted, msg::tool_matches& to) {
  auto answer = tool_search::search(index_, {query.text, query.server, query.limit, permitted});
  to.total = static_cast<uint32_t>(std::max(answer.matching, answer.hits.size()));
  to.fit = fit_of(answer.best);
  std::vector<uint32_t> numbers;
  numbers.reserve(answer.hits.size());
  for (auto& h : answer.hits)
    numbers.push_back(h.tool);
  auto [tools, bytes, problem] = definitions_of(numbers);
  if (!problem.empty())
    to.failures.push_back(unread(problem));
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

tool_places tool_catalog::places_of(const std::vector<uint32_t>& tools) {
  tool_places out;
  std::map<uint32_t, size_t> servers; // by their numbers in the index
  for (auto t : tools) {
    auto [known_as, is_new] = servers.try_emplace(index_.server_number(t), out.servers.size());
    if (is_new) {
      auto& s = *known(index_.server_of(t));
      out.servers.push_back({s.entry.name, s.digest, s.held, s.is_held});
    }
    out.tools.push_back({known_as->second, index_.position_of(t), std::string{index_.name_of(t)}});
  }
  return out;
}

/// In the same order, up to catalog_answer_bytes_max.
read_definitions_result tool_catalog::definitions_of(const std::vector<uint32_t>& tools) {
  auto places = places_of(tools);
  auto read = read_definitions(store_, places, 0, tools.size(), limits::catalog_answer_bytes_max);
  if (!read.problem.empty())
    warn(read.problem);
  read.tools.resize(tools.size());
  for (auto& t : read.tools)
    mark(t);
  return read;
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
  auto found = definitions_of({*usable}).tools;
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
