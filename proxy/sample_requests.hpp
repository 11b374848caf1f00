// What a guest may ask of models: `sample`, `sample_next`, `sample_stop`, checked field by field.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/sampling.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace boost::json {
class object;
}

namespace proxy {

/// Of one question, in bytes of its texts together: more than any model reads.
inline constexpr size_t prompt_bytes_max = 4u << 20;
inline constexpr size_t prompt_messages_max = 1'000;
/// Of all messages of one question together; 10,000 empty ones take a millisecond to read.
inline constexpr size_t prompt_blocks_max = 10'000;
/// Tokens that may be wished for one answer.
inline constexpr uint32_t answer_tokens_max = 100'000;

struct guest_sample {
  uint64_t id = 0;
  msg::sample_request request;
};

struct guest_sample_stream {
  uint64_t id = 0;
  uint64_t stream = 0;
  bool stops = false; ///< the program has left it; else it wants more of it
};

/// Nothing: `method` is none of these.
std::optional<msg::outcome<msg::sample_request>> parse_sample(std::string_view method,
                                                              const boost::json::object& params);
std::optional<msg::outcome<guest_sample_stream>> parse_sample_stream(std::string_view method, uint64_t id,
                                                                     const boost::json::object& params);

} // namespace proxy
