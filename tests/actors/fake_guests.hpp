// Guest processes that live in the test: they record what they are told and say what the test says.
#pragma once

#include "actors/sandbox.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace testing_support {

struct fake_guest final : sandbox::guest {
  msg::guest_request wish;
  msg::sandbox_actor owner; ///< null: the guest is gone
  std::vector<boost::json::object> told;
  std::string printed;
  bool begins = true; ///< the programs that it gets
  bool killed = false;
  uint64_t held_max = 0, held_elsewhere = 0;

  void hold_at_most(uint64_t bytes_max, uint64_t elsewhere) override {
    held_max = bytes_max;
    held_elsewhere = elsewhere;
  }
  bool send(msg::spliced_text frame) override {
    told.push_back(boost::json::parse(frame.text()).as_object());
    if (begins && told.back().contains("keep"))
      say(R"({"type":"begun"})");
    return true;
  }
  msg::guest_output collect() override {
    msg::guest_output out;
    out.output.head = std::exchange(printed, {});
    return out;
  }
  msg::guest_output finish() override {
    if (!std::exchange(killed, true))
      end(137);
    return collect();
  }

  void say(std::string_view frame) {
    if (owner)
      caf::anon_send(owner, msg::frame_atom::value, msg::document{boost::json::parse(frame)});
  }
  /// The process is gone.
  void end(int code, std::string problem = {}) {
    if (!owner)
      return;
    msg::guest_exit how;
    how.code = code;
    how.problem = std::move(problem);
    caf::anon_send(owner, msg::exit_atom::value, std::move(how));
    owner = nullptr;
  }
  bool was_told(std::string_view type) const {
    for (auto& frame : told)
      if (frame.at("type").as_string() == type)
        return true;
    return false;
  }
};

/// The machine on which all guests of a test run.
struct fake_guests {
  std::vector<std::shared_ptr<fake_guest>> all; ///< in order of start
  msg::fault refuse_to_start;

  actors::guest_factory factory() {
    return [this](const msg::guest_request& wish,
                  msg::sandbox_actor owner) -> msg::outcome<std::shared_ptr<sandbox::guest>> {
      if (refuse_to_start.code != msg::errc::none)
        return refuse_to_start;
      auto g = std::make_shared<fake_guest>();
      g->wish = wish;
      g->owner = std::move(owner);
      all.push_back(g);
      return std::shared_ptr<sandbox::guest>{g};
    };
  }
  fake_guest& last() { return *all.back(); }
  size_t alive() const {
    size_t n = 0;
    for (auto& g : all)
      n += g->owner != nullptr;
    return n;
  }
};

} // namespace testing_support
