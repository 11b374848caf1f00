// Long work in slices, so that no other work waits for all of it.
#pragma once

#include "actors/background.hpp"
#include "messages/actors.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace actors {

/// How long work may go on before it is the turn of other work.
class slice {
public:
  explicit slice(std::chrono::microseconds length) : end_(clock::now() + length) {}
  bool is_over() const { return !are_endless && clock::now() >= end_; }
  /// For a simulation, which real time must not change. Set before there are actors.
  static inline bool are_endless = false;

private:
  using clock = std::chrono::steady_clock;
  clock::time_point end_;
};

/// On the one thread: most work is done then, and needs no other one.
constexpr std::chrono::microseconds first_slice{1'000};
/// On another one, that has others' work, too.
constexpr std::chrono::microseconds further_slice{20'000};

struct sliced_work {
  /// Owns all that it touches: a step may be at work when `self` and its handlers are gone.
  /// Goes on until the slice is over; true: all is done. On one thread at a time.
  std::function<bool(const slice&)> step;
  std::function<bool()> is_wanted; ///< asked on our thread between two steps
};

namespace detail {

struct slicer_state {
  static inline const char* name = "slicer";
  caf::typed_response_promise<msg::fault> promise;
};

/// Has one step after the other done. Lives as long as that.
inline caf::behavior slicer(caf::stateful_actor<slicer_state>* self, const background_work& offload,
                            const std::shared_ptr<sliced_work>& work) {
  auto end = [self, work](msg::fault problem) {
    auto all = std::move(*work); // is given back here: the other thread may be the last that has `work`
    self->state.promise.deliver(std::move(problem));
    self->quit();
  };
  auto go_on = [self, offload, work, end] {
    if (!work->is_wanted())
      return end({msg::errc::cancelled, "nobody waits for it any more"});
    auto is_done = std::make_shared<bool>(false);
    offload([work, is_done] { *is_done = work->step(slice{further_slice}); },
            [me = caf::actor{self}, is_done](msg::fault problem) {
              caf::anon_send(me, msg::reply_atom::value, *is_done, std::move(problem));
            });
  };
  return {
    [self, go_on](msg::tick_atom) {
      auto promise = self->state.promise = self->make_response_promise<msg::fault>();
      go_on();
      return promise;
    },
    [go_on, end](msg::reply_atom, bool is_done, msg::fault& problem) {
      if (is_done || problem.code != msg::errc::none)
        return end(std::move(problem));
      go_on();
    },
  };
}

} // namespace detail

/// Begins here, and goes on elsewhere if it takes long; without another thread all is done here. `done` is called once,
/// as a handler of `self`, if that lives: errc::none; cancelled: it was not wanted any more; else why it could not be
/// done.
template <class Self>
void do_in_slices(Self* self, const background_work& offload, sliced_work work, std::function<void(msg::fault)> done) {
  bool is_done = work.step(slice{first_slice});
  while (!is_done && !offload)
    is_done = work.step(slice{further_slice});
  if (is_done)
    return done({});
  auto there = self->spawn(detail::slicer, offload, std::make_shared<sliced_work>(std::move(work)));
  self
    ->request(there, caf::infinite, msg::tick_atom::value) // as long as it is wanted
    .then([done](msg::fault& problem) { done(std::move(problem)); },
          [done](const caf::error&) {
            done({msg::errc::internal, "what was begun was not finished"});
          });
}

} // namespace actors
