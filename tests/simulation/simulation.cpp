#include "tests/simulation/simulation.hpp"

#include "tests/simulation/house.hpp"
#include "tests/simulation/invariants.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

namespace simulation {

using namespace std::chrono_literals;

namespace {

/// In memory, if there is such a place: a seed writes a dozen small files.
class own_folder {
public:
  own_folder() {
    std::error_code none;
    std::string base = std::filesystem::is_directory("/dev/shm", none) ? "/dev/shm" : "/tmp";
    path_ = base + "/simulation-XXXXXX";
    if (!::mkdtemp(path_.data()))
      std::abort();
  }
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;
  ~own_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

client& some_client(house& at) { return *at.all_clients[at.in.luck.below(at.all_clients.size())]; }

client& some_remote_client(house& at) { return *at.all_clients[1 + at.in.luck.below(at.all_clients.size() - 1)]; }

/// One of many, which others look after.
void kill_a_part(house& at) {
  if (auto guest = at.all_guests.any(); guest && at.in.luck.one_in(2))
    return guest->kill_actor();
  if (auto server = at.all_servers.any())
    server->kill_actor();
}

void kill_something(house& at) {
  if (at.in.luck.one_in(2))
    return kill_a_part(at);
  std::vector<std::string> names;
  for (auto& [name, actor] : at.all_living())
    if (name != "session with the client") // which is the end of the process
      names.push_back(name);
  auto name = names[at.in.luck.below(names.size())];
  at.in.was_disturbed = true;
  at.kill(name);
  if (name == "keeper of clients")
    for (auto& c : at.all_clients)
      if (c->connection() > 1)
        c->vanish();
}

void vanish(house& at) {
  auto& who = some_remote_client(at);
  if (who.is_gone())
    at.come();
  else if (at.in.luck.one_in(2))
    who.leave_stream();
  else
    at.disconnect(who);
}

void jump(house& at) {
  if (at.in.luck.one_in(2))
    at.in.wall_offset += std::chrono::minutes{static_cast<int64_t>(at.in.luck.below(3'000)) - 1'500};
  else
    at.jump(std::chrono::milliseconds{at.in.luck.below(90'000)});
}

void break_guest(house& at) {
  if (at.in.luck.one_in(4))
    at.all_guests.start_fails = !at.all_guests.start_fails;
  else if (auto guest = at.all_guests.any()) {
    if (at.in.luck.one_in(2))
      guest->hang();
    else
      guest->die(static_cast<int>(at.in.luck.below(2)));
  }
}

void go_on(house& at) {
  for (auto n = 1 + at.in.luck.below(20); n > 0 && at.in.happen(); --n)
    if (!at.in.luck.one_in(3))
      at.settle();
}

void carry_out(house& at, const step& s) {
  auto& luck = at.in.luck = chance{s.luck};
  switch (s.what) {
    case deed::run: some_client(at).run_something(); break;
    case deed::ask: some_client(at).ask_something(); break;
    case deed::cancel: some_client(at).cancel_something(); break;
    case deed::vanish: vanish(at); break;
    case deed::go_on: go_on(at); break;
    case deed::wait: at.pass(std::chrono::milliseconds{luck.below(luck.one_in(3) ? 6'000 : 300)}); break;
    case deed::jump: jump(at); break;
    case deed::kill: kill_something(at); break;
    case deed::kill_run: at.kill_execution(); break;
    case deed::reload: at.reload(chance{luck.next()}); break;
    case deed::break_server:
      if (auto server = at.all_servers.any())
        server->misbehave();
      break;
    case deed::break_guest: break_guest(at); break;
    case deed::disk: at.record.change(); break;
  }
  if (luck.one_in(4)) // and the next step comes in the middle of it
    return;
  at.settle();
  check_now(at);
}

/// Others do what they should from now on; time passes until all is answered.
void calm_down(house& at) {
  at.in.is_calm = true;
  constexpr int rounds_max = 400;
  for (auto& told : std::exchange(at.in.late, {}))
    told();
  for (int i = 0; i < rounds_max; ++i) {
    at.settle();
    while (at.in.happen())
      at.settle();
    bool is_done = i > 2;
    for (auto& c : at.all_clients)
      is_done = is_done && c->unanswered() == 0;
    if (is_done)
      return;
    at.pass(100ms);
  }
}

void end(house& at) {
  at.in.now_doing = "at the end";
  at.in.luck = chance{at.seed};
  calm_down(at);
  check_at_rest(at);
  check_after_stop(at);
}

} // namespace

verdict play(const plan& what, telling how) {
  own_folder folder;
  verdict out;
  house at{what.seed, folder.path()};
  at.in.prints = how == telling::everything;
  size_t number = 0;
  for (auto& s : what.steps) {
    at.in.now_doing = "step " + std::to_string(++number) + ", " + std::string{to_string(s.what)};
    at.in.tell(at.in.now_doing);
    carry_out(at, s);
    if (how == telling::nothing && !at.in.mistakes().empty()) // the first one is enough
      break;
  }
  if (how == telling::everything || at.in.mistakes().empty())
    end(at);
  out.mistakes = at.in.mistakes();
  out.digest = at.in.digest();
  return out;
}

} // namespace simulation
