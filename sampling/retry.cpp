#include "sampling/retry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ctime>

namespace sampling {

namespace {

constexpr milliseconds day_ms{86'400'000};

std::string_view trimmed(std::string_view text) {
  auto begin = text.find_first_not_of(" \t");
  return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Not negative, the whole text.
std::optional<double> number_of(std::string_view text) {
  double out = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, std::chars_format::fixed);
  bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && out >= 0 && std::isfinite(out) ? std::optional{out} : std::nullopt;
}

milliseconds bounded(double ms) { return milliseconds{static_cast<int64_t>(std::min(ms, double(day_ms.count())))}; }

/// "Sun, 06 Nov 1994 08:49:37 GMT", the form that every sender has to use (RFC 9110, 5.6.7).
std::optional<std::chrono::system_clock::time_point> date_of(const std::string& text) {
  std::tm parts{};
  auto* end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (!end || *end != '\0')
    return std::nullopt;
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

} // namespace

std::optional<milliseconds> asked_delay(std::string_view retry_after_ms, std::string_view retry_after,
                                        std::chrono::system_clock::time_point now) {
  if (auto ms = number_of(trimmed(retry_after_ms)))
    return bounded(*ms);
  auto text = trimmed(retry_after);
  if (auto seconds = number_of(text))
    return bounded(*seconds * 1'000);
  auto date = date_of(std::string{text});
  if (!date)
    return std::nullopt;
  return std::clamp(std::chrono::ceil<milliseconds>(*date - now), milliseconds{0}, day_ms);
}

bool is_passing(const attempt& ended) {
  if (ended.how != transport::answered && ended.how != transport::too_large)
    return ended.how == transport::not_connected || ended.how == transport::lost_early;
  return ended.status == 408 || ended.status == 429
         || (ended.status >= 500 && ended.status < 600 && ended.status != 501);
}

retry_policy::retry_policy(retry_bounds bounds, uint64_t seed) : bounds_(bounds), random_(seed) {}

/// Half of it is certain, half is chance.
milliseconds retry_policy::own_delay() {
  auto doublings = std::min(tries_ - 1, uint32_t{20});
  auto full = std::min(bounds_.delay_max, bounds_.delay_first * (int64_t{1} << doublings));
  std::uniform_int_distribution<int64_t> chance{full.count() / 2, full.count()};
  return milliseconds{chance(random_)};
}

retry_decision retry_policy::after(const attempt& ended, msg::fault said, milliseconds left,
                                   std::chrono::system_clock::time_point now) {
  auto asked = asked_delay(ended.retry_after_ms, ended.retry_after, now);
  if (!asked && said.retry_after_ms > 0)
    asked = milliseconds{said.retry_after_ms};
  if (asked)
    said.retry_after_ms = static_cast<uint32_t>(asked->count());
  retry_decision out{std::nullopt, std::move(said)};
  bool hopeless = ended.status == 429 && out.error.code != msg::errc::rate_limited;
  if (!is_passing(ended) || hopeless || tries_ >= bounds_.tries_max)
    return out;
  auto wait = asked ? std::max(*asked, milliseconds{0}) : own_delay();
  if (wait + try_time_min > left || wait > asked_delay_max)
    return out;
  ++tries_;
  out.wait = wait;
  return out;
}

} // namespace sampling
