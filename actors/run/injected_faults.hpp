// The faults that were injected into the calls of a run, as its report tells them.
#pragma once

#include "messages/faults.hpp"
#include "messages/run.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace actors::run {

class injected_faults {
public:
  void add(msg::injected_fault one) {
    ++count_;
    if (told_.size() < msg::faults_told_max)
      told_.push_back(std::move(one));
  }
  void tell(msg::run_report& report) && {
    report.faults = std::move(told_);
    report.faults_count = count_;
  }

private:
  std::vector<msg::injected_fault> told_;
  uint64_t count_ = 0;
};

} // namespace actors::run
