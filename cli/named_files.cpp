#include "cli/named_files.hpp"

#include "cli/fault_plan.hpp"
#include "cli/recordings.hpp"

namespace cli {

std::vector<msg::fault> problems_of_named_files(const config::settings& settings) {
  std::vector<msg::fault> all;
  for (auto& why : {plan_of(settings).error, problem_of_recordings(settings)})
    if (why.code != msg::errc::none)
      all.push_back(why);
  return all;
}

} // namespace cli
