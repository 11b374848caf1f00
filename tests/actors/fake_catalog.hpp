// The catalog with a worker thread that is done at once, and nothing on disk.
#pragma once

#include "actors/catalog.hpp"
#include "proxy/discovery.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace testing_support {

/// `folder`: where it is kept; empty: nowhere.
inline actors::catalog_options catalog_at_once(std::vector<msg::server_entry> servers, std::string folder = {},
                                               msg::name_policy policy = {},
                                               catalog::changed_tools rule = catalog::changed_tools::unwatched) {
  actors::catalog_options o;
  auto tools = std::make_shared<proxy::discovery>(std::move(folder), servers, std::move(policy), rule);
  o.carry_out = [tools](msg::catalog_request request, std::function<void(msg::catalog_answer)> done) {
    done(tools->answer(request));
  };
  o.requests_max = 100;
  o.save_delay = std::chrono::seconds{2};
  return o;
}

} // namespace testing_support
