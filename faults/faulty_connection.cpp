#include "faults/faulty_connection.hpp"

#include "faults/faulty_answers.hpp"
#include "faults/faulty_line.hpp"
#include "faults/faulty_requests.hpp"
#include "mcp/decorated_connection.hpp"

#include <utility>

namespace faults {

namespace {

class faulty_connection final : public mcp::decorated_connection {
public:
  faulty_connection(std::shared_ptr<mcp::connection> inner, std::shared_ptr<faulty_line> line,
                    std::shared_ptr<faulty_answers> answers)
    : decorated_connection(std::move(inner)),
      line_(std::move(line)),
      answers_(std::move(answers)),
      requests_(std::make_shared<faulty_requests>(line_, answers_)) {}

  bool send(msg::spliced_text message, uint64_t key, mcp::request_labels labels) override {
    return requests_->send(std::move(message), key, std::move(labels));
  }
  bool take_back(uint64_t key) override {
    auto is_back = requests_->take_back(key) || decorated_connection::take_back(key);
    if (is_back)
      answers_->forget(key);
    return is_back;
  }
  void stop() override {
    line_->hang.cancel(); // nothing holds its reader up
    decorated_connection::stop();
  }
  void kill() override {
    line_->hang.cancel();
    decorated_connection::kill();
  }

private:
  std::shared_ptr<faulty_line> line_;
  std::shared_ptr<faulty_answers> answers_;
  std::shared_ptr<faulty_requests> requests_;
};

} // namespace

msg::outcome<std::shared_ptr<mcp::connection>> open_with_faults(faulty_server server, const connection_opener& open,
                                                                mcp::connection_events events) {
  auto line = std::make_shared<faulty_line>(std::move(server), std::move(events));
  auto answers = std::make_shared<faulty_answers>(line);
  auto inner = open(answers->events());
  if (!inner.ok())
    return std::move(inner.error);
  line->inner = inner.value;
  return std::shared_ptr<mcp::connection>{
    std::make_shared<faulty_connection>(std::move(inner.value), std::move(line), std::move(answers))};
}

} // namespace faults
