#include "catalog/catalog.hpp"

#include "catalog/digest.hpp"
#include "catalog/tool_text.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace catalog {

namespace fs = std::filesystem;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

constexpr std::string_view index_prefix = "catalog-", index_suffix = ".index";
constexpr size_t index_digits = 16; ///< of the digest, in the name of the file
/// What was begun and not finished for so long will not be.
constexpr std::chrono::hours unfinished_max{1};

tool_text text_of(const msg::tool_info& tool) { return read_tool(tool.name, tool.description, tool.definition); }

msg::search_fit fit_of(fit f) {
  switch (f) {
    case fit::nothing: return msg::search_fit::nothing;
    case fit::poor: return msg::search_fit::poor;
    case fit::good: return msg::search_fit::good;
  }
  return msg::search_fit::good;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

bool are_equal(msg::tool_filter a, msg::tool_filter b) { return a.fields() == b.fields(); }

} // namespace

tool_catalog::tool_catalog(std::string folder, const std::vector<msg::server_entry>& servers, may_use allowed, pinning pins, clock now)
  : folder_(std::move(folder)),
    allowed_(std::move(allowed)),
    rule_(pins.rule),
    store_(folder_, now),
    approvals_(pins.approvals ? std::move(pins.approvals) : std::make_shared<trust::approvals>(folder_, now)) {
  std::set<std::string> digests;
  for (auto& entry : servers) {
    if (!entry.unusable.empty())
      continue;
    auto& s = servers_[entry.name];
    s.entry = entry;
    s.digest = digest_of(entry);
    digests.insert(s.digest);
    names_.add(entry.name);
  }
  digest all;
  for (auto& d : digests)
    all.add(d);
  set_digest_ = all.hex();
}

tool_catalog::server* tool_catalog::known(const std::string& name) {
  auto at = servers_.find(name);
  return at == servers_.end() ? nullptr : &at->second;
}

std::string tool_catalog::take_warning() {
  auto warning = store_.take_warning();
  if (warning.empty())
    warning = approvals_->take_warning();
  if (warning.empty())
    warning = std::exchange(warning_, {});
  if (warning.empty() && !reports_.empty()) {
    warning = std::move(reports_.front());
    reports_.erase(reports_.begin());
  }
  return warning;
}

// ---- the index follows the store ----------------------------------------------------------------

std::string tool_catalog::index_path() const {
  return folder_ + "/" + std::string{index_prefix} + set_digest_.substr(0, index_digits) + std::string{index_suffix};
}

void tool_catalog::bring_up_to_date() {
  if (!std::exchange(is_loaded_, true))
    load_index();
  if (store_.has_changed())
    follow_store();
  follow_approvals();
}

void tool_catalog::be_ready_to_search() {
  bring_up_to_date();
  if (std::exchange(is_built_, true))
    return;
  index_.build();
  last_permitted_.reset();
  permitted_to_all_.reset();
}

void tool_catalog::load_index() {
  auto found = folder_.empty() ? std::nullopt : load_snapshot(index_path());
  if (!found)
    return;
  index_ = std::move(found->index);
  is_built_ = true;
  for (auto& list : found->made_of)
    if (auto* s = known(list.server); s && s->digest == list.digest) {
      s->content = list.content;
    } else {
      index_.remove_server(list.server);
      is_built_ = is_saved_ = false;
    }
  ::utimensat(AT_FDCWD, index_path().c_str(), nullptr, 0); // it is in use: see sweep_indexes()
}

/// Reads what is new in the store: written by other programs, or before us.
void tool_catalog::follow_store() {
  auto stored = store_.servers();
  if (!stored.ok())
    return warn(stored.error.message);
  std::map<std::string_view, const stored_server*> by_digest;
  for (auto& s : stored.value)
    by_digest.emplace(s.digest, &s);
  for (auto& [name, s] : servers_) {
    auto at = by_digest.find(s.digest);
    auto content = at == by_digest.end() ? std::string{} : at->second->content;
    if (s.is_held || s.content == content)
      continue;
    list_has_changed(s, std::move(content));
    if (s.content.empty())
      index_.remove_server(name);
    else
      read_from_store(s);
  }
}

void tool_catalog::read_from_store(server& s) {
  std::vector<tool_text> texts;
  auto problem = store_.read(s.digest, [&](auto name, auto description, auto definition) {
    texts.push_back(read_tool(name, description, msg::document::parse(definition).value));
  });
  if (problem.code != errc::none)
    warn(problem.message);
  index_.set_server(s.entry.name, texts);
}

msg::reviewed_tools tool_catalog::update(const std::string& name, const msg::tool_list& tools) {
  bring_up_to_date();
  auto* s = known(name);
  if (!s)
    return {tools, 0};
  auto problem = store_.replace(s->entry, s->digest, tools);
  if (problem.code != errc::none && !folder_.empty())
    warn(problem.message);
  s->is_held = problem.code != errc::none;
  s->held = s->is_held ? tools : msg::tool_list{};
  if (auto content = digest_of(tools); s->content != content) {
    list_has_changed(*s, std::move(content));
    std::vector<tool_text> texts;
    for (auto& t : tools)
      texts.push_back(text_of(t));
    index_.set_server(name, texts);
  }
  if (rule_ != changed_tools::unwatched)
    review_told(*s, tools);
  return usable(*s, tools);
}

void tool_catalog::list_has_changed(server& s, std::string content) {
  s.content = std::move(content);
  s.is_reviewed = false;
  is_built_ = is_saved_ = false;
}

// ---- questions -----------------------------------------------------------------------------------

/// Which tools the filter lets through; nullptr: all. The runs of a session ask with the same filter again and again.
const std::vector<bool>* tool_catalog::permitted_by(const msg::tool_filter& filter) {
  auto& kept = are_equal(filter, {}) ? permitted_to_all_ : last_permitted_;
  if (!kept || !are_equal(kept->filter, filter)) {
    permitted p{filter, std::vector<bool>(index_.size()), true};
    for (uint32_t t = 0; t < index_.size(); ++t) {
      bool is_allowed = allowed_(filter, index_.server_of(t), index_.name_of(t)) && !is_shut(index_.server_of(t), index_.name_of(t));
      p.tools[t] = is_allowed;
      p.is_everything = p.is_everything && is_allowed;
    }
    kept = std::move(p);
  }
  return kept->is_everything ? nullptr : &kept->tools;
}

msg::catalog_found tool_catalog::search(const msg::tool_query& query) {
  be_ready_to_search();
  msg::catalog_found out;
  std::set<std::string> unknown;
  for (auto& [name, s] : servers_)
    if (s.content.empty() && allowed_(query.allowed, name, {}))
      unknown.insert(name);
  out.named = query.server.empty() ? names_.spoken_of_in(query.text, unknown) : std::vector<std::string>{query.server};
  std::erase_if(out.named, [&](auto& name) { return !known(name) || !allowed_(query.allowed, name, {}); });
  out.matches.not_indexed.assign(unknown.begin(), unknown.end());
  if (is_blank(query.text))
    list_all(query, out.matches);
  else
    rank(query, out.matches);
  return out;
}

void tool_catalog::list_all(const msg::tool_query& query, msg::tool_matches& to) {
  auto* permitted = permitted_by(query.allowed);
  auto [first, count] = query.server.empty() ? std::pair{uint32_t{0}, static_cast<uint32_t>(index_.size())} : index_.tools_of(query.server);
  std::vector<uint32_t> listed;
  for (auto t = first; t < first + count; ++t)
    if (!permitted || (*permitted)[t])
      listed.push_back(t);
  std::sort(listed.begin(), listed.end(), [&](auto a, auto b) {
    return std::pair{index_.server_number(a), index_.name_of(a)} < std::pair{index_.server_number(b), index_.name_of(b)};
  });
  to.total = static_cast<uint32_t>(listed.size());
  if (query.limit > 0 && listed.size() > query.limit)
    listed.resize(query.limit);
  to.tools = definitions_of(listed);
  std::erase_if(to.tools, [](auto& t) { return t.name.empty(); });
}

void tool_catalog::rank(const msg::tool_query& query, msg::tool_matches& to) {
  auto answer = catalog::search(index_, {query.text, query.server, query.limit, permitted_by(query.allowed)});
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
      out[i] = s.held[position];
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
      out[i] = {index_.server_of(tools[i]), std::string{name}, std::string{description}, msg::document::parse(definition).value};
    return bytes < limits::catalog_answer_bytes_max;
  };
  auto problem = places.empty() ? fault{} : store_.read(places, take);
  if (problem.code != errc::none)
    warn(problem.message);
  for (auto& t : out)
    mark(t);
  return out;
}

msg::outcome<msg::tool_info> tool_catalog::find(const std::string& name, const choice& choose) {
  be_ready_to_search();
  fault unknown{errc::unknown_tool, "server '" + name + "' has no such tool as far as is known"};
  if (!known(name))
    return std::move(unknown).at(name);
  auto [first, count] = index_.tools_of(name);
  std::vector<std::string_view> names, held;
  std::vector<uint32_t> numbers;
  for (auto t = first; t < first + count; ++t) {
    if (is_shut(name, index_.name_of(t))) {
      held.push_back(index_.name_of(t));
      continue;
    }
    names.push_back(index_.name_of(t));
    numbers.push_back(t);
  }
  auto chosen = choose(names);
  if (auto refused = chosen < 0 && !held.empty() ? choose(held) : -1; refused >= 0)
    return held_fault(*known(name), std::string{held[static_cast<size_t>(refused)]});
  if (chosen < 0)
    return std::move(unknown).at(name);
  auto found = definitions_of({numbers[static_cast<size_t>(chosen)]});
  if (found.front().name.empty())
    return std::move(unknown).at(name);
  return std::move(found.front());
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
  return s ? store_.observe(s->digest, tool, shape) : fault{errc::unknown_server, "no server '" + server + "' is configured"};
}

// ---- on disk ---------------------------------------------------------------------------------------

std::vector<indexed_list> tool_catalog::made_of() const {
  std::vector<indexed_list> out;
  for (auto& [name, s] : servers_)
    if (!s.content.empty())
      out.push_back({name, s.digest, s.content});
  return out;
}

fault tool_catalog::save() {
  if (folder_.empty())
    return {};
  be_ready_to_search();
  if (!std::exchange(is_swept_, true)) {
    std::vector<std::string> digests;
    digests.reserve(servers_.size());
    for (auto& [name, s] : servers_)
      digests.push_back(s.digest);
    if (auto problem = store_.touch(digests); problem.code == errc::none)
      store_.sweep();
    sweep_indexes();
  }
  if (auto problem = store_held(); problem.code != errc::none)
    return problem;
  auto lists = made_of();
  if (std::exchange(is_saved_, true) || lists.empty())
    return {};
  if (index_.unused_terms() > index_.terms().size() / 2) { // of texts that are gone: the next start makes it anew
    std::error_code ignored;
    fs::remove(index_path(), ignored);
    return {};
  }
  return save_snapshot(index_path(), index_, lists);
}

/// Another program may have been writing.
fault tool_catalog::store_held() {
  for (auto& [name, s] : servers_) {
    if (!s.is_held)
      continue;
    if (auto problem = store_.replace(s.entry, s.digest, s.held); problem.code != errc::none)
      return problem;
    s.is_held = false;
    s.held.clear();
  }
  return {};
}

/// Those that were used last stay.
void tool_catalog::sweep_indexes() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> indexes;
  std::error_code ec;
  for (fs::directory_iterator at{folder_, ec}, end; !ec && at != end; at.increment(ec)) {
    auto name = at->path().filename().string();
    std::error_code gone;
    auto used = fs::last_write_time(at->path(), gone);
    if (gone || !name.starts_with(index_prefix) || name.find(index_suffix) == name.npos)
      continue;
    if (name.ends_with(index_suffix))
      indexes.emplace_back(used, at->path());
    else if (fs::file_time_type::clock::now() - used > unfinished_max)
      fs::remove(at->path(), gone);
  }
  std::sort(indexes.rbegin(), indexes.rend());
  for (size_t i = limits::catalog_indexes_max; i < indexes.size(); ++i)
    fs::remove(indexes[i].second, ec);
}

/// One at a time is enough: most go on until somebody mends it.
void tool_catalog::warn(const std::string& problem) {
  if (std::exchange(warned_of_, problem) != problem)
    warning_ = problem + "; tools are kept in memory only";
}

} // namespace catalog
