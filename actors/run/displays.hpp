// What a program displays: in its order, as long as it is not too much.
#pragma once

#include "messages/errors.hpp"
#include "messages/run.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace actors::run {

class displays {
public:
  /// Of a frame with so many bytes. False: it is beyond limits::display_blocks_max or limits::display_bytes_max; what
  /// is displayed is dropped without a look at what it is. All frames count, dropped or not.
  bool admit(size_t frame_bytes);
  /// Of an admitted one that was looked at. False: it is nothing that can be shown, which breaks the protocol
  /// (proxy::no_display). Any problem but guest_protocol is ours: no thread could look, and it is dropped like one too
  /// many.
  bool looked_at(msg::display_block block, const msg::fault& problem);

  /// Says that some are missing; empty: none are.
  std::string note() const;
  std::vector<msg::display_block> take() && { return std::move(shown_); }

private:
  std::vector<msg::display_block> shown_;
  size_t bytes_ = 0;
  size_t missing_ = 0;
};

/// Whether a block can be shown: errc::none, or guest_protocol. Reads all of an image or a sound.
msg::fault look_at(const msg::display_block& block);

} // namespace actors::run
