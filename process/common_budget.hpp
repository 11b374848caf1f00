// A bound on what this process holds for many together: each has a limit of its own, but there may be a hundred of
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace process {

/// When it is too much, the one for which most is held (a guest, a server) is ended, and the others go on. Used by one
/// thread only.
class common_budget {
public:
  explicit common_budget(uint64_t bytes_max) : bytes_max_(bytes_max) {}
  uint64_t bytes_max() const { return bytes_max_; }

  /// What is held for one of them.
  class part {
  public:
    /// `end` is called once at most, from set() of any part, and its part does not count from then on. Without a
    /// budget it never is.
    part(std::shared_ptr<common_budget> budget, std::function<void()> end);
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    ~part();
    void set(uint64_t bytes);

  private:
    friend class common_budget;
    std::shared_ptr<common_budget> budget_;
    std::function<void()> end_;
    uint64_t bytes_ = 0;
    bool has_ended_ = false;
  };

private:
  void end_the_largest();

  uint64_t bytes_max_;
  uint64_t bytes_ = 0;
  std::vector<part*> parts_; ///< as many as there are guests, or servers
};

} // namespace process
