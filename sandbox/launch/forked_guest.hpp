// A guest that a template makes: see guest_template.hpp.
#pragma once

#include "sandbox/isolation/fork_order.hpp"
#include "sandbox/launch/box_start.hpp"
#include "sandbox/launch/guest.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>

namespace sandbox {

/// A box of a guest that is ordered.
struct ordered_box {
  process::descriptor lifeline;        ///< see fork_order.hpp
  std::unique_ptr<guest_cgroup> group; ///< null: none
};

/// The process that makes guests. They die with it, so each keeps it.
struct template_process {
  started_box process;
  asio::posix::stream_descriptor orders; ///< see fork_order.hpp
  box what;                              ///< what its guests live in
  isolation_tools tools;
  std::function<void()> when_deaf; ///< called when it did not carry out an order in time
  bool orders_ahead = false;       ///< boxes, one at a time
  ordered_box ahead = {};          ///< without a lifeline: there is none
};

/// If it is to, and there is none. Where it can not, the next guest tells why.
void order_ahead(const guest_environment& environment, template_process& from);

/// Orders a guest, which takes no time of this thread. One that the template does not make is started for itself.
msg::outcome<std::shared_ptr<guest>> fork_guest(const guest_environment& environment,
                                                std::shared_ptr<template_process> from, uint32_t cpu_seconds,
                                                guest_events events);

} // namespace sandbox
