#include "login/account_authorization.hpp"

#include "login/account_file.hpp"
#include "login/renewal.hpp"
#include "oauth_client/challenge.hpp"
#include "process/no_throw.hpp"
#include "process/offload.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

#include <optional>
#include <utility>

namespace login {

using std::chrono::steady_clock;

namespace {

/// One that goes on, and all who wait for it.
struct renewal_job {
  explicit renewal_job(const asio::any_io_executor& executor) : done(executor, steady_clock::time_point::max()) {}

  asio::steady_timer done; ///< cancelled when there is a result
  bool has_ended = false;
  renewal result;
};

/// Nothing in a 401 to a request without a token points to a login, and the entry has a way of its own to say who asks,
/// or the server wants one that no login gives.
bool may_be_of_entry(const target& at, const mcp::authorization_refusal& refusal) {
  auto& settings = at.settings;
  bool is_meant = settings.is_for_machines || !settings.client_id.empty() || !settings.metadata_url.empty()
                  || !settings.scopes.empty();
  auto told = oauth::read_challenge(refusal.challenge);
  bool wants_other = !refusal.challenge.empty() && !told.is_there;
  return !is_meant && told.resource_metadata.empty() && (wants_other || !at.fields.empty());
}

/// It goes on after what the server has answered, and that a header may be missing.
std::string hint_at_headers(const target& at) {
  return (at.fields.empty() ? "" : ", or correct the headers that it has")
         + ("; if the server offers logins, log in with `" + msg::command_to_login(at.name) + "`");
}

class account_authorization final : public mcp::http_authorization,
                                    public std::enable_shared_from_this<account_authorization> {
public:
  account_authorization(environment of, target at)
    : environment_(std::move(of)),
      target_(std::move(at)),
      file_(environment_, target_.name, target_.url) {}

  asio::awaitable<std::string> value() override {
    auto keep = shared_from_this();
    if (target_.settings.is_off)
      co_return std::string{};
    co_await look();
    if (is_worth_renewing()) {
      renewal_wish wish;
      wish.stale = bearer();
      auto renewed = co_await share_renewal(std::move(wish));
      if (!renewed.is_renewed)
        not_before_ = steady_clock::now() + renewal_pause;
    }
    co_return bearer();
  }

  asio::awaitable<mcp::authorization_advice> refused(mcp::authorization_refusal refusal) override {
    auto keep = shared_from_this();
    mcp::authorization_advice out;
    if (target_.settings.is_off || (refusal.status != 401 && !is_step_up(refusal)))
      co_return out;
    co_await look();
    auto now = bearer();
    if (!now.empty() && now != refusal.sent) {
      out.is_to_be_repeated = true;
      co_return out;
    }
    if (refusal.status == 401 && refusal.sent.empty() && !known_ && may_be_of_entry(target_, refusal)) {
      out.hint = hint_at_headers(target_);
      co_return out;
    }
    bool is_in_vain = refusal.status == 401 && (refusal.was_renewed || is_refused_at_once(refusal.sent));
    if (is_in_vain)
      out = refused_when_new(refusal.was_renewed);
    else
      out = co_await renewed_for(std::move(refusal));
    login_wanted_ = out.needs_login ? out.why : std::string{};
    if (out.needs_login)
      co_await file_.note_wanted();
    co_return out;
  }

  /// A renewal that helps says that the server does take what it is given, however shortly.
  asio::awaitable<void> accepted(mcp::said_authorization with) override {
    if (with.was_renewed)
      fresh_refusals_ = 0;
    if (with.value.empty()) // servers let many requests in that say nothing
      co_return;
    login_wanted_.clear();
    if (!file_.is_wanted())
      co_return;
    auto file = file_;
    co_await file.forget_wanted();
  }

  /// A login removes the note.
  std::string login_wanted() const override { return file_.is_wanted() ? login_wanted_ : std::string{}; }

private:
  static bool is_step_up(const mcp::authorization_refusal& refusal) {
    return refusal.status == 403 && oauth::read_challenge(refusal.challenge).error == "insufficient_scope";
  }

  asio::awaitable<mcp::authorization_advice> renewed_for(mcp::authorization_refusal refusal) {
    mcp::authorization_advice out;
    renewal_wish wish;
    wish.stale = std::move(refusal.sent);
    wish.challenge = std::move(refusal.challenge);
    auto got = co_await renewal_for(refusal.status, std::move(wish));
    out.is_to_be_repeated = got.is_renewed;
    out.needs_login = got.needs_login;
    out.why = std::move(got.why);
    co_return out;
  }

  std::string bearer() const { return known_ ? bearer_of(*known_) : std::string{}; }

  bool is_worth_renewing() const {
    bool can = target_.settings.is_for_machines || (known_ && !known_->refresh_token.empty());
    bool is_wanted = known_ ? is_due(*known_) : was_refused_;
    return can && is_wanted && steady_clock::now() >= not_before_;
  }

  bool is_fresh(const std::string& sent) const {
    return !sent.empty() && sent == fresh_ && steady_clock::now() - fresh_since_ < fresh_token_age;
  }

  /// Too many in a row: another one would be refused, too. Each counts once, however many requests had it with them.
  bool is_refused_at_once(const std::string& sent) {
    if (!is_fresh(sent))
      fresh_refusals_ = 0;
    else if (sent != last_refused_)
      ++fresh_refusals_;
    last_refused_ = sent;
    return fresh_refusals_ > fresh_refusals_max;
  }

  /// `was_renewed`: for the request that is refused.
  mcp::authorization_advice refused_when_new(bool was_renewed) const {
    mcp::authorization_advice out;
    out.needs_login = !target_.settings.is_for_machines;
    std::string why = was_renewed ? "refuses the token of the login, which is a new one"
                                  : "refuses the token that its authorization server has just given";
    out.why = out.needs_login ? login_advice(target_, why) : why;
    return out;
  }

  /// Reads the account if the file is another one than the one that is known.
  asio::awaitable<void> look() {
    auto stamp = file_.look();
    if (was_read_ && stamp == stamp_)
      co_return;
    auto stored = co_await file_.read();
    if (!stored.problem.empty() && !(was_read_ && stored.stamp == stamp_))
      spdlog::warn("{}", stored.problem);
    known_ = std::move(stored.value);
    stamp_ = stored.stamp;
    was_read_ = true;
  }

  asio::awaitable<renewal> renewal_for(uint16_t status, renewal_wish wish) {
    renewal out;
    was_refused_ = true;
    if (status == 401) {
      out = co_await share_renewal(std::move(wish));
      co_return out;
    }
    out = co_await step_up(environment_, target_, std::move(wish));
    take(out);
    co_return out;
  }

  /// Joins one that goes on already.
  asio::awaitable<renewal> share_renewal(renewal_wish wish) {
    auto job = job_;
    if (!job) {
      job = job_ = std::make_shared<renewal_job>(environment_.executor);
      asio::co_spawn(environment_.executor, carry_out(shared_from_this(), job, std::move(wish)), asio::detached);
    }
    if (!job->has_ended)
      co_await job->done.async_wait(process::no_throw);
    if (job->has_ended)
      co_return job->result;
    renewal cancelled;
    cancelled.why = "was not logged in at: nobody waits for it any more";
    co_return cancelled;
  }

  static asio::awaitable<void> carry_out(std::shared_ptr<account_authorization> self, std::shared_ptr<renewal_job> job,
                                         renewal_wish wish) {
    try {
      job->result = co_await renew(self->environment_, self->target_, std::move(wish));
    } catch (...) {
      job->result.why = "was not logged in at: " + process::fault_of_exception().message;
    }
    self->take(job->result);
    job->has_ended = true;
    if (self->job_ == job)
      self->job_.reset();
    job->done.cancel();
  }

  void take(const renewal& what) {
    if (!what.value)
      return;
    known_ = what.value;
    if (what.is_just_given) {
      fresh_ = bearer();
      fresh_since_ = steady_clock::now();
    }
  }

  environment environment_;
  target target_;
  account_file file_;
  std::optional<account> known_;
  file_stamp stamp_; ///< of the file that it was read from
  bool was_read_ = false;
  std::string login_wanted_; ///< as http_authorization has it, since the last refusal
  bool was_refused_ = false; ///< once: the server does want to know who asks
  std::shared_ptr<renewal_job> job_;
  steady_clock::time_point not_before_ = {};
  std::string fresh_; ///< the last value that a renewal gave
  steady_clock::time_point fresh_since_ = {};
  int fresh_refusals_ = 0;   ///< of such values, in a row
  std::string last_refused_; ///< the value that was refused last
};

} // namespace

std::shared_ptr<mcp::http_authorization> open_account(environment of, target at) {
  return std::make_shared<account_authorization>(std::move(of), std::move(at));
}

} // namespace login
