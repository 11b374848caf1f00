#include "config/settings_parts.hpp"

namespace config {

void read_recording(section s, recording_settings& to) {
  s.path({"file", "all that goes to the servers and comes from them is written there, without secrets",
          "CODE_EXECUTOR_RECORD"},
         to.file);
  s.path({"replay", "a recording that answers in the place of the servers", "CODE_EXECUTOR_REPLAY"}, to.replay);
  s.one_of<replay_miss>(
    {"onMiss", "what the recording does not have: an error, or a call of the server", "CODE_EXECUTOR_REPLAY_ON_MISS"},
    {{"fail", replay_miss::fail}, {"call", replay_miss::call}}, to.on_miss);
  s.flag({"pace", "whether recorded answers take as long as they took", "CODE_EXECUTOR_REPLAY_PACE"}, to.keeps_pace);
}

} // namespace config
