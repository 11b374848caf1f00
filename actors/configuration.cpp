#include "actors/configuration.hpp"

#include "config/server_reload.hpp"

#include <caf/all.hpp>
#include <spdlog/fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace actors {

using std::chrono::milliseconds;

namespace {

/// Editors write in several steps, and clients several files; then everything is read once.
constexpr milliseconds settle_time{200};
constexpr milliseconds unwatched_pause{2'000};
constexpr milliseconds compare_pause{10'000};
/// The connector answers at once; only so that the wait is finite.
constexpr std::chrono::seconds reload_timeout{10};
/// In the log, of one change.
constexpr size_t told_problems_max = 20, told_names_max = 20;

seen_places see(std::vector<std::string> paths, const decltype(configuration_options::stamp)& stamp) {
  seen_places out;
  std::transform(paths.begin(), paths.end(), std::back_inserter(out.stamps), stamp);
  out.paths = std::move(paths);
  return out;
}

std::string told_changes(std::string_view what, const std::vector<std::string>& servers) {
  auto told = std::min(servers.size(), told_names_max);
  auto more = servers.size() > told ? fmt::format(" and {} more", servers.size() - told) : std::string{};
  auto end = servers.begin() + static_cast<std::ptrdiff_t>(told);
  return told == 0 ? more : fmt::format("; {}: {}{}", what, fmt::join(servers.begin(), end, ", "), more);
}

} // namespace

/// Made on another thread: a project may have thousands of files, and links that take their time.
struct configuration_state::observation {
  std::shared_ptr<const seen_places> seen;
  std::function<bool()> watch; ///< empty: all is as it was

  /// Watches before it looks: what changes meanwhile leads to another look.
  void make(const configuration_options& o, const file_watching& files, const seen_places* unless) {
    auto paths = o.places();
    if (unless && see(paths, o.stamp) == *unless)
      return;
    auto watched = paths;
    if (!o.settings_file.empty())
      watched.push_back(o.settings_file);
    watch = files.prepare(watched);
    seen = std::make_shared<seen_places>(see(std::move(paths), o.stamp));
  }
};

/// Made on another thread: a project may have a thousand problems and more.
struct configuration_state::another_look {
  config::server_list before, now;
  std::vector<std::string> new_problems;

  void take(config::server_list read) {
    new_problems = config::new_problems(before, read);
    now = std::move(read);
  }
};

configuration_state::~configuration_state() {
  if (files_.stop)
    files_.stop();
}

void configuration_state::look() {
  if (is_busy()) // its end goes on
    return;
  look_at_settings();
  observe(nullptr);
}

void configuration_state::look_at_settings() {
  if (options_.settings_file.empty())
    return;
  auto now = options_.stamp(options_.settings_file);
  if (std::exchange(settings_stamp_, now) != now)
    spdlog::info("settings: {} has changed; it counts from the next start on", options_.settings_file);
}

/// Null: they are watched anew in any case.
void configuration_state::observe(std::shared_ptr<const seen_places> unless) {
  observed_ = std::make_shared<observation>();
  configuration_options asked;
  asked.places = options_.places;
  asked.stamp = options_.stamp;
  asked.settings_file = options_.settings_file;
  auto work = [to = observed_, asked = std::move(asked), files = files_, unless = std::move(unless)] {
    to->make(asked, files, unless.get());
  };
  options_.offload(std::move(work), [me = caf::actor_cast<msg::configuration_actor>(self_)](msg::fault problem) {
    caf::anon_send(me, msg::checked_atom::value, std::move(problem));
  });
}

/// What can not be watched is looked at from time to time: no program that uses up what the user has of inotify keeps
/// us from hearing that something is not allowed any more.
void configuration_state::take_observed(const msg::fault& problem) {
  auto now = std::exchange(observed_, nullptr);
  if (problem.code != msg::errc::none) {
    spdlog::error("configuration: not looked at: {}", problem.message);
    self_->delayed_send(self_, unwatched_pause, msg::tick_atom::value);
    return;
  }
  if (!now->watch)
    return go_on();
  if (std::exchange(is_watched_, now->watch()) && !is_watched_)
    spdlog::warn("configuration: not all files can be watched (inotify); they are looked at every {} s instead",
                 std::chrono::duration_cast<std::chrono::seconds>(unwatched_pause).count());
  if (!has_changed_ && *now->seen == *seen_)
    return go_on();
  seen_ = std::move(now->seen);
  read_again();
}

void configuration_state::read_again() {
  has_changed_ = false;
  look_ = std::make_shared<another_look>();
  look_->before = options_.in_force();
  auto work = [look = look_, read = options_.read] { look->take(read(look->before)); };
  options_.offload(std::move(work), [me = caf::actor_cast<msg::configuration_actor>(self_)](msg::fault problem) {
    caf::anon_send(me, msg::checked_atom::value, std::move(problem));
  });
}

void configuration_state::take(const msg::fault& problem) {
  if (observed_)
    take_observed(problem);
  else if (look_)
    take_read(problem);
}

void configuration_state::take_read(const msg::fault& problem) {
  if (problem.code != msg::errc::none) {
    spdlog::error("configuration: not read again: {}", problem.message);
    look_ = nullptr;
    return go_on();
  }
  for (size_t i = 0; i < std::min(look_->new_problems.size(), told_problems_max); ++i)
    spdlog::warn("configuration: {}; servers of that file that can not be read stay as they were",
                 look_->new_problems[i]);
  if (look_->new_problems.size() > told_problems_max)
    spdlog::warn("configuration: {} more problems; `code-executor servers` lists them",
                 look_->new_problems.size() - told_problems_max);
  if (look_->now.entries != options_.in_force().entries)
    tell_supervisor();
  else
    bring_into_force();
}

/// In force only afterwards: if this actor dies before, the next one finds that they are others.
void configuration_state::tell_supervisor() {
  auto done = [this](const msg::server_changes& changes) {
    spdlog::info("configuration: read again{}{}{}", told_changes("added", changes.added),
                 told_changes("changed", changes.changed), told_changes("removed", changes.removed));
    bring_into_force();
  };
  auto failed = [this](const caf::error& why) {
    spdlog::error("configuration: the change did not come into force: {}", self_->system().render(why));
    bring_into_force(); // the supervisor gives it to the next connector
  };
  self_->request(supervisor_, reload_timeout, msg::reload_atom::value, options_.prepare(look_->now)).then(done, failed);
}

void configuration_state::bring_into_force() {
  options_.set_in_force(std::move(std::exchange(look_, nullptr)->now));
  go_on();
}

void configuration_state::go_on() {
  if (!is_watched_ || has_changed_) {
    self_->delayed_send(self_, has_changed_ ? settle_time : unwatched_pause, msg::tick_atom::value);
    return;
  }
  if (std::exchange(is_waiting_, true))
    return;
  files_.next_change([me = caf::actor_cast<msg::configuration_actor>(self_)](bool has_changed) {
    caf::anon_send(me, msg::observed_atom::value, has_changed);
  });
}

/// A watch does not hear of a file that is written under another name, nor of another folder behind a link.
void configuration_state::compare() {
  if (!is_busy() && is_waiting_ && is_watched_) // else it is looked at soon
    observe(seen_);
  self_->delayed_send(self_, compare_pause, msg::compare_atom::value);
}

void configuration_state::heard(bool has_changed) {
  is_waiting_ = false;
  has_changed_ = has_changed_ || has_changed;
  if (!is_busy() && is_watched_) // else another look follows anyway
    self_->delayed_send(self_, has_changed ? settle_time : unwatched_pause, msg::tick_atom::value);
}

msg::configuration_actor::behavior_type configuration_state::make_behavior(configuration_options options,
                                                                           msg::supervisor_actor supervisor) {
  options_ = std::move(options);
  supervisor_ = std::move(supervisor);
  files_ = options_.watch();
  seen_ = std::make_shared<seen_places>(std::move(options_.seen_at_start));
  if (!options_.settings_file.empty())
    settings_stamp_ = options_.stamp(options_.settings_file);
  self_->set_default_handler(caf::drop);
  self_->delayed_send(self_, options_.first_delay, msg::tick_atom::value);
  self_->delayed_send(self_, options_.first_delay + compare_pause, msg::compare_atom::value);
  return {
    [this](msg::tick_atom) { look(); },
    [this](msg::compare_atom) { compare(); },
    [this](msg::observed_atom, bool has_changed) { heard(has_changed); },
    [this](msg::checked_atom, const msg::fault& problem) { take(problem); },
  };
}

msg::configuration_actor::behavior_type
configuration(msg::configuration_actor::stateful_pointer<configuration_state> self, configuration_options options,
              msg::supervisor_actor supervisor) {
  return self->state.make_behavior(std::move(options), std::move(supervisor));
}

} // namespace actors
