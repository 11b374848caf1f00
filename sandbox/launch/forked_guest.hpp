// A guest that a template forks: see guest_template.hpp.
#pragma once

#include "sandbox/isolation/fork_order.hpp"
#include "sandbox/launch/box_start.hpp"
#include "sandbox/launch/guest.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <memory>

namespace sandbox {

/// The process that forks. Its guests die with it, so whoever has one keeps it.
struct template_process {
  started_box box;
  asio::posix::stream_descriptor orders; ///< see fork_order.hpp
};

/// Orders a guest, which takes no time of this thread. `what`: the box that it is to have. What fails later is told by
/// `ended`.
msg::outcome<std::shared_ptr<guest>> fork_guest(const guest_environment& environment,
                                                std::shared_ptr<template_process> from, const box& what,
                                                uint32_t cpu_seconds, guest_events events);

} // namespace sandbox
