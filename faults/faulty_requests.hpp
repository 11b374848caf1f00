// What goes to a server with faults: requests that are kept back, refused, or sent twice.
#pragma once

#include "faults/faulty_answers.hpp"
#include "faults/faulty_line.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace faults {

class faulty_requests : public std::enable_shared_from_this<faulty_requests> {
public:
  faulty_requests(std::shared_ptr<faulty_line> line, std::shared_ptr<faulty_answers> answers)
    : line_(std::move(line)),
      answers_(std::move(answers)) {}

  /// As mcp::connection has them.
  bool send(msg::spliced_text message, uint64_t key, mcp::request_labels labels);
  bool take_back(uint64_t key);

private:
  struct held_request {
    msg::spliced_text text;
    uint64_t key = 0;
    mcp::request_labels labels;
  };
  using pages = faulty_answers::pages;

  bool start(msg::spliced_text message, uint64_t key, mcp::request_labels labels);
  bool pass(msg::spliced_text message, uint64_t key, mcp::request_labels labels);
  bool hit(chosen by, msg::spliced_text message, uint64_t key, mcp::request_labels labels);
  bool lost(const chosen& by, uint64_t key);
  bool hit_tools(const chosen& by, uint64_t key, const mcp::request_labels& labels);
  void change_tools(const rule& by, const std::string& tool);
  void tell(const chosen& by, msg::call_key call) const;
  void hang(std::chrono::milliseconds lasts);
  void go_on();

  std::shared_ptr<faulty_line> line_;
  std::shared_ptr<faulty_answers> answers_;
  std::vector<held_request> held_; ///< of a server that hangs
  uint64_t doubled_ = 0;
  std::optional<chosen> start_; ///< of what begins the connection, when it has been sent
};

} // namespace faults
