// An answer that a program takes piece by piece: what came waits for it, filtered, until it asks.
#pragma once

#include "actors/sampling/answer_room.hpp"
#include "content_filter/filter.hpp"
#include "content_filter/stream_filter.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sampling {

/// A session takes 64 of them in a turn, before it is anybody else's: 8 ms of filtering groups of digits, at 4 MB/s. A
/// ping takes several turns.
inline constexpr size_t streamed_at_once_max = 512;
/// Of one answer, in its order, whole characters, of about that length at most.
std::vector<std::string_view> pieces_of(std::string_view text);

class streamed_answer {
public:
  struct piece {
    msg::outcome<msg::document> what; ///< as the guest gets it, or the error at the end
    bool is_last = false;
  };

  /// A model is asked; what it said in the rounds before still waits for the program.
  /// `place`: where all that is held here is counted; null: nowhere. `tokens_max`: as the model was asked for.
  void begin_round(const content_filter::content_policy& policy, std::shared_ptr<answer_place> place = nullptr,
                   uint32_t tokens_max = UINT32_MAX);
  /// Text of this round. The fault says why no more of it may be given: what the content policy blocks is in it, or
  /// the model does not end where it was to.
  msg::fault feed(const std::string& text);
  /// The model has said all of this round.
  void finish_round();
  /// Nothing more comes; a fault is given to the program after the text.
  void end(msg::fault why = {});
  bool is_over() const { return is_over_; }

  /// For a program that asks: all text that is there, or the end. None: it has to wait.
  std::optional<piece> take();

  /// Of this round, as it came: that is what was used.
  const std::string& received() const { return received_; }
  /// Of this round, as it was given.
  const std::string& given() const { return given_; }

private:
  void give(const std::string& text);
  void count();

  std::optional<content_filter::stream_filter> filter_; ///< of this round
  std::string waiting_;                                 ///< that is not taken yet
  std::string received_, given_;
  bool is_over_ = false;
  std::shared_ptr<answer_place> place_;
  uint32_t tokens_max_ = UINT32_MAX;
  uint64_t tokens_ = 0; ///< of this round, estimated
  msg::fault failure_;
};

} // namespace sampling
