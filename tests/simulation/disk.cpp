#include "tests/simulation/disk.hpp"

#include "audit/verify.hpp"

#include <memory>
#include <utility>

namespace simulation {

namespace {

/// Times that a slow disk lets others go first.
constexpr int delays_max = 6;

audit::log_options options_of(const std::string& folder, const disk::wall_clock& now) {
  audit::log_options o;
  o.where.folder = folder;
  o.process = "simulated000";
  o.now = now;
  return o;
}

} // namespace

disk::disk(world& w, std::string folder, wall_clock now)
  : world_(w),
    folder_(std::move(folder)),
    now_(std::move(now)),
    log_(options_of(folder_, now_)),
    line_(w.new_line()) {}

void disk::change() { mood_ = world_.luck.one_of({mood::well, mood::full, mood::slow, mood::locked}); }

actors::background_audit disk::writer() {
  return [this](actors::audit_batch batch, std::function<void(audit::write_report)> done) {
    world_.later(line_, [this, batch = std::move(batch), done = std::move(done)] { write(batch, done, delays_max); });
  };
}

/// All or nothing, as the real one.
void disk::write(const actors::audit_batch& batch, const std::function<void(audit::write_report)>& done, int delays) {
  auto now = world_.is_calm ? mood::well : mood_;
  if (now == mood::slow && delays > 0)
    return world_.later(line_, [this, batch, done, delays] { write(batch, done, delays - 1); });
  if (now == mood::full || now == mood::locked) {
    world_.tell("the record is not written");
    return done({now == mood::full ? audit::write_result::failed : audit::write_result::busy, "no space left", {}});
  }
  auto events = *batch;
  for (auto& event : events)
    event.when = now_();
  auto report = log_.append(events);
  world_.expect(report.result == audit::write_result::written, "the record is not written: " + report.problem);
  world_.tell("the record has " + std::to_string(events.size()) + " more");
  for (auto& event : events)
    note(event);
  done(std::move(report));
}

void disk::note(const msg::audit_event& event) {
  ++lines_;
  world_.tell(std::string{"  "} + msg::to_string(event.kind) + " " + std::to_string(event.run) + " " + event.server
              + " " + event.tool + " " + event.state + " " + event.error);
  ++kinds_[event.kind];
  auto& run = runs_[event.run];
  run.begins += event.kind == msg::audit_kind::run_begun;
  run.ends += event.kind == msg::audit_kind::run;
  run.calls += event.kind == msg::audit_kind::tool_call;
  if (event.run == 0)
    return;
  if (event.kind == msg::audit_kind::run_begun)
    run.mark = event.code.substr(sizeof "// run", event.code.rfind(' ') - sizeof "// run");
  if (event.kind == msg::audit_kind::run)
    run.success = event.success;
  world_.expect(run.begins <= 1 && run.ends <= 1, "the record has a run that begins or ends twice");
  if (event.kind == msg::audit_kind::tool_call || event.kind == msg::audit_kind::call_open)
    world_.expect(run.ends == 0, "the record has a call of a run that has ended");
}

uint64_t disk::count(msg::audit_kind kind) const {
  auto found = kinds_.find(kind);
  return found == kinds_.end() ? 0 : found->second;
}

void disk::check_run(uint64_t number, const known_lines& run) {
  auto which = " run " + std::to_string(number);
  if (run.begins > run.ends)
    world_.broken("the record has the begin and not the end of" + which);
  auto found = world_.runs.find(run.mark);
  if (run.mark.empty() || found == world_.runs.end())
    return;
  auto& known = found->second;
  world_.expect(run.calls >= known.sent, "the record has not all calls of" + which);
  // The queue of runs that is killed when a program has ended well loses its result: its client hears of a failure.
  bool may_be_lost = world_.was_disturbed && run.success;
  if (known.told != known_run::end::untold)
    world_.expect(run.success == (known.told == known_run::end::success) || may_be_lost,
                  "the record and the client are told different things of" + which);
}

void disk::check_ends() {
  for (auto& [number, run] : runs_)
    check_run(number, run);
}

void disk::check() {
  audit::place where;
  where.folder = folder_;
  auto verdict = audit::verify(where);
  if (!verdict.ok())
    return world_.broken("the record can not be checked: " + verdict.error.message);
  for (auto& problem : verdict.value.problems)
    world_.broken("the record is broken: " + problem.what);
}

} // namespace simulation
