#include "actors/sampling/rules.hpp"

#include <algorithm>

namespace sampling {

using msg::errc;

namespace {

uint32_t lowest(uint32_t configured, uint32_t wished) {
  return wished == 0 ? configured : std::min(configured, wished);
}

} // namespace

msg::fault may_sample(const rules& all, const msg::run_request& run) {
  using msg::sampling_switch;
  if (!all.may_be_asked || run.sampling.enabled == sampling_switch::off)
    return {errc::not_allowed, run.sampling.enabled == sampling_switch::off
                                 ? "Sampling not enabled: the run has enableSampling: false"
                                 : "Sampling is switched off by the settings (sampling.enabled: false)"};
  if (run.sampling.enabled == sampling_switch::as_configured && !all.enabled)
    return {errc::not_allowed, "Sampling not enabled. Pass enableSampling: true"};
  if (run.abilities.samples || all.provider)
    return {};
  return {
    errc::model_failed,
    "nobody can answer: the client has no model for its servers (it did not declare the capability 'sampling'), and "
      + all.no_provider};
}

budget_limits limits_of(const rules& all, const msg::sampling_options& wish) {
  return {lowest(all.limits.rounds, wish.rounds_max), lowest(all.limits.tokens, wish.tokens_max)};
}

} // namespace sampling
