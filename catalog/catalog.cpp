#include "catalog/catalog.hpp"

#include "catalog/entry_digest.hpp"
#include "catalog/tool_text.hpp"
#include "messages/limits.hpp"
#include "text/digest.hpp"

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

} // namespace

tool_catalog::tool_catalog(std::string folder, const std::vector<msg::server_entry>& servers, read_filter allowed,
                           pinning pins, clock now)
  : folder_(std::move(folder)),
    allowed_(std::move(allowed)),
    rule_(pins.rule),
    store_(folder_, now),
    approvals_(pins.approvals ? std::move(pins.approvals) : std::make_shared<tool_pinning::approvals>(folder_, now)) {
  std::set<std::string> digests;
  for (auto& entry : servers) {
    if (!entry.unusable.empty() || !msg::is_trusted(entry))
      continue;
    auto& s = servers_[entry.name];
    s.entry = entry;
    s.digest = digest_of(entry);
    digests.insert(s.digest);
    names_.add(entry.name);
  }
  text::digest all;
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
  forget_questions();
}

void tool_catalog::load_index() {
  auto found = folder_.empty() ? std::nullopt : tool_search::load_snapshot(index_path());
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
  std::vector<tool_search::tool_text> texts;
  auto problem = store_.read(s.digest, [&](auto name, auto description, auto definition) {
    texts.push_back(read_tool(name, description, msg::document::parse(definition).value));
  });
  if (problem.code != errc::none)
    warn(problem.message);
  index_.set_server(s.entry.name, texts);
}

bool tool_catalog::prepare(const std::string& name, const msg::listed_tools& tools, list_update::time_point end) {
  bring_up_to_date();
  auto at = updates_.find(name);
  if (at != updates_.end() && !at->second.is_of(tools))
    updates_.erase(at), at = updates_.end();
  if (at == updates_.end())
    at = updates_.try_emplace(name, index_, name, tools).first;
  auto* s = known(name);
  return !s || s->content == at->second.content() || at->second.read_until(end);
}

msg::reviewed_tools tool_catalog::update(const std::string& name, const msg::listed_tools& tools) {
  prepare(name, tools, list_update::time_point::max());
  auto list = updates_.extract(name);
  auto* s = known(name);
  if (!s)
    return {tools, 0};
  auto problem = store_.replace(s->entry, s->digest, *tools);
  if (problem.code != errc::none && !folder_.empty())
    warn(problem.message);
  s->is_held = problem.code != errc::none;
  s->held = s->is_held ? tools : msg::listed_tools{};
  if (auto& content = list.mapped().content(); s->content != content) {
    list_has_changed(*s, content);
    index_.set_server(std::move(list.mapped()).take());
  }
  if (rule_ != changed_tools::unwatched)
    review_unreviewed(*s, *tools);
  return usable(*s, tools);
}

void tool_catalog::list_has_changed(server& s, std::string content) {
  s.content = std::move(content);
  s.is_reviewed = false;
  is_built_ = is_saved_ = false;
}

// ---- on disk ---------------------------------------------------------------------------------------

std::vector<tool_search::indexed_list> tool_catalog::made_of() const {
  std::vector<tool_search::indexed_list> out;
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
  auto why = tool_search::save_snapshot(index_path(), index_, lists);
  return why.empty() ? fault{} : fault{errc::internal, std::move(why)};
}

/// Another program may have been writing.
fault tool_catalog::store_held() {
  for (auto& [name, s] : servers_) {
    if (!s.is_held)
      continue;
    if (auto problem = store_.replace(s.entry, s.digest, *s.held); problem.code != errc::none)
      return problem;
    s.is_held = false;
    s.held = {};
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

/// One at a time is enough: most go on until the user mends it.
void tool_catalog::warn(const std::string& problem) {
  if (std::exchange(warned_of_, problem) != problem)
    warning_ = problem + "; tools are kept in memory only";
}

} // namespace catalog
