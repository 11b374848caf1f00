#include "sandbox/isolation/isolation.hpp"

#include "sandbox/isolation/landlock.hpp"
#include "sandbox/isolation/seccomp.hpp"
#include "sandbox/isolation/self_test.hpp"

#include <fstream>
#include <unistd.h>

namespace sandbox {

namespace {

bool sysctl_is(const char* name, long value) {
  std::ifstream file{std::string{"/proc/sys/"} + name};
  long found = 0;
  return file >> found && found == value;
}

/// What an administrator would have to change, as far as it can be seen from here.
std::string advice() {
  if (sysctl_is("user/max_user_namespaces", 0))
    return "user namespaces are switched off: sysctl user.max_user_namespaces is 0";
  if (sysctl_is("kernel/unprivileged_userns_clone", 0))
    return "user namespaces are switched off: sysctl kernel.unprivileged_userns_clone is 0";
  if (sysctl_is("kernel/apparmor_restrict_unprivileged_userns", 1))
    return "AppArmor restricts user namespaces: give bwrap a profile with `userns,`, or set sysctl "
           "kernel.apparmor_restrict_unprivileged_userns to 0";
  if (::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0)
    return "this is a container: start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined "
           "(and apparmor=unconfined)";
  return "the kernel, or the container that this runs in, does not permit user namespaces";
}

std::string why_no_namespaces(const isolation_tools& tools, const self_test_result& t) {
  if (tools.bubblewrap.empty())
    return "bubblewrap (bwrap) was not found in PATH; install the package `bubblewrap`";
  return "bubblewrap could not build a sandbox (" + t.complaint + "); " + advice();
}

std::shared_ptr<process::descriptor> filter_for(filter_profile profile) {
  return has_seccomp() ? make_filter(profile).value : nullptr;
}

isolation none(std::string reason) {
  return {isolation_mode::none, std::move(reason), nullptr, landlock::abi(), nullptr};
}

/// Weaker isolated, or none, are for a reason that is certain; this one is not.
isolation not_known(const self_test_result& t, const char* who, std::shared_ptr<isolation_self_tests> trials) {
  isolation isolated;
  isolated.reason =
    std::string{"it is not known yet how programs can be kept in on this machine, which may be busy: the self test of "}
    + who + ": " + t.complaint + "; it is tried again";
  isolated.trials = std::move(trials);
  return isolated;
}

isolation without_namespaces(const asio::any_io_executor& executor, const isolation_tools& tools,
                             std::shared_ptr<isolation_self_tests> trials, const std::string& reason) {
  isolation isolated{isolation_mode::landlock_only, reason, filter_for(filter_profile::landlock_only), landlock::abi(),
                     nullptr};
  if (!isolated.filter || isolated.landlock_abi == 0)
    return none(reason + ". Without namespaces seccomp and Landlock are needed; this kernel has no "
                + (isolated.filter ? "Landlock" : "seccomp"));
  auto result = trials->landlock_only.look(executor, tools, isolated);
  if (result.what == self_test_result::kind::unknown)
    return not_known(result, "a guest without namespaces", std::move(trials));
  return result.what == self_test_result::kind::worked
           ? isolated
           : none(reason + ". A guest without namespaces did not start either: " + result.complaint);
}

} // namespace

std::string_view to_string(isolation_mode mode) {
  switch (mode) {
    case isolation_mode::untried: return "untried";
    case isolation_mode::namespaces: return "namespaces";
    case isolation_mode::landlock_only: return "bare";
    case isolation_mode::none: break;
  }
  return "none";
}

isolation probe_isolation(const asio::any_io_executor& executor, const isolation_tools& tools,
                          isolation_policy policy) {
  auto trials = tools.isolated.trials ? tools.isolated.trials : std::make_shared<isolation_self_tests>();
  isolation isolated{isolation_mode::namespaces, {}, filter_for(filter_profile::boxed), landlock::abi(), nullptr};
  auto result = tools.bubblewrap.empty() ? self_test_result{self_test_result::kind::failed, {}}
                                         : trials->boxed.look(executor, tools, isolated);
  if (result.what == self_test_result::kind::worked)
    return isolated;
  if (result.what == self_test_result::kind::unknown)
    return not_known(result, "bubblewrap", std::move(trials));
  auto reason = why_no_namespaces(tools, result);
  if (policy == isolation_policy::required)
    return none("sandbox.isolation is `required`, and there are no namespaces: " + reason);
  return without_namespaces(executor, tools, std::move(trials), reason);
}

} // namespace sandbox
