// Who reads on when: what all transfers have to read is done a little at a time, and the loop has time for others.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

namespace http {

class client_transfer;

/// Of one answer, as it comes from its server: with this much, its transfer waits for its turn. What is less is passed
/// on at once; libcurl reads up to 16 KiB more in the same breath.
inline constexpr size_t bytes_of_turn_max = 4u << 10;
/// And pieces of it that are passed on. libcurl puts together what comes while a transfer waits, so an answer in chunks
/// of one byte is passed on in few pieces.
inline constexpr size_t pieces_of_turn_max = 16;
/// That have a turn when the loop comes round: 64 KiB, 1 ms if they are in chunks of one byte.
inline constexpr size_t transfers_of_turn_max = 4;

/// Encrypted bytes that libcurl reads without coming back. A server that goes on sending what belongs to no answer (of
/// HTTP/2: pings, frames without data) keeps libcurl reading for as long as it sends, and is cut off: after 0.1 s. What
/// comes of an answer that was cancelled belongs to none either, and is read at once: two large ones.
inline constexpr size_t encrypted_bytes_at_once_max = 16u << 20;

/// Those that wait, first come, first served.
class reading_turns {
public:
  using clock = std::chrono::steady_clock;

  /// Of the loop's time, all transfers together may use one part of so many, ...
  static constexpr int share_of_time = 2;
  /// ... but for so much at once.
  static constexpr std::chrono::milliseconds credit_max{4};
  /// More is not paid back: it was the machine that was busy.
  static constexpr std::chrono::milliseconds debt_max{10};

  reading_turns() = default;
  reading_turns(const reading_turns&) = delete;
  reading_turns& operator=(const reading_turns&) = delete;
  ~reading_turns() { clear(); }

  /// Needs no memory. One that waits already keeps its place.
  void add(std::shared_ptr<client_transfer> transfer) noexcept;
  /// Null: nobody waits.
  std::shared_ptr<client_transfer> next() noexcept;
  bool empty() const { return !first_; }
  void clear() noexcept;

  /// The loop was at work for transfers, until `now`.
  void used(clock::duration time, clock::time_point now);
  /// How long others have the loop to themselves before the next turn.
  clock::duration rest(clock::time_point now);

private:
  void earn(clock::time_point now);

  std::shared_ptr<client_transfer> first_;
  client_transfer* last_ = nullptr;
  clock::duration credit_ = credit_max;
  clock::time_point earned_at_{};
};

} // namespace http
