#include "client_transfer.hpp"

#include "http/field_text.hpp"
#include "reading_turns.hpp"
#include "text/ascii.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace http {

namespace {

std::string seconds(std::chrono::milliseconds time) {
  auto ms = time.count();
  return ms % 1'000 == 0 ? std::to_string(ms / 1'000) + " s" : std::to_string(ms) + " ms";
}

/// Short enough for a std::string to have them in itself: there is no memory for more.
constexpr auto no_memory_text = "no memory left";
constexpr auto thrown_text = "an error here";

/// Of TLS, each record is told by its head, which ends with the length of what follows.
constexpr size_t record_head_bytes = 5;

size_t record_bytes(std::string_view head) {
  auto byte = [head](size_t i) { return size_t{static_cast<unsigned char>(head[i])}; };
  return record_head_bytes + byte(3) * 256 + byte(4);
}

/// libcurl repeats the address of a proxy that it can not use, with the password in it.
constexpr std::string_view of_odd_proxy = "Unsupported proxy";

/// What libcurl says of it, for a person.
std::string detail_of(const std::string& host, CURLcode code, std::string_view told) {
  if (told.starts_with(of_odd_proxy))
    return host
           + ": the proxy for it (http_proxy, HTTPS_PROXY or ALL_PROXY in the environment) has an address that can not "
             "be used; write it as http://HOST:PORT, and encode what is special in a user or password (%23 for #)";
  auto text = host + ": " + printable(told);
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
      return text
             + ". If it is to be trusted, add its authority to those of the system (Debian: update-ca-certificates)";
    case CURLE_SEND_FAIL_REWIND: return host + ": the connection ended before there was an answer";
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY: return text + ". What answers does not speak HTTP";
    default: return text;
  }
}

} // namespace

client_transfer::client_transfer(const curl_library& curl, asio::io_context& io, client_request request,
                                 client_handlers handlers)
  : curl_(curl),
    request_(std::move(request)),
    handlers_(std::move(handlers)),
    host_(printable(host_of(request_.url))),
    timer_(io) {}

client_transfer::~client_transfer() { release(); }

void client_transfer::release() {
  if (easy_) {
    result_.was_sent |= number<long>(CURLINFO_REQUEST_SIZE) > 0
                        && number<curl_off_t>(CURLINFO_SIZE_UPLOAD_T) == static_cast<curl_off_t>(request_.body.size());
    curl_.easy_cleanup(std::exchange(easy_, nullptr));
  }
  if (fields_)
    curl_.slist_free_all(std::exchange(fields_, nullptr));
}

// ---- what the owner wants ------------------------------------------------------------------------

void client_transfer::cancel() { fail(client_failure::cancelled, host_ + ": the request was cancelled"); }

void client_transfer::resume() {
  if (std::exchange(paused_, false) && held_ && changed_)
    changed_();
}

// ---- the end -----------------------------------------------------------------------------------

void client_transfer::fail(client_failure failure, std::string message) {
  if (std::exchange(over_, true))
    return;
  result_.failure = failure;
  result_.message = std::move(message);
  if (changed_)
    changed_();
}

void client_transfer::fail_by_exception() noexcept {
  auto failure = client_failure::other;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    failure = client_failure::no_memory;
    std::string{}.swap(result_.body); // so that there is some to tell it
  } catch (...) {
  }
  fail(failure, failure == client_failure::no_memory ? no_memory_text : thrown_text);
}

void client_transfer::done(CURLcode code) {
  // libcurl has one word for a line that is longer than it takes (100 KB) and for no memory.
  if (code == CURLE_OUT_OF_MEMORY && !has_head_ && number<curl_off_t>(CURLINFO_STARTTRANSFER_TIME_T) > 0)
    return fail(client_failure::too_large, host_ + ": the head of the answer has more than "
                                             + std::to_string(client_head_bytes_max)
                                             + " bytes in one line, or there is no memory left for it");
  // It was, whatever the word for the end: where its connection breaks, libcurl makes another one first, which may not
  // be had, and counts from the beginning again.
  result_.was_sent = !request_.body.empty() && unsent_.empty();
  if (code != CURLE_OK) {
    auto told = text::trimmed(error_.data());
    return fail(failure_of(code), detail_of(host_, code, told.empty() ? curl_.easy_strerror(code) : told));
  }
  over_ = true;
  if (changed_)
    changed_();
}

void client_transfer::end() {
  over_ = true;
  changed_ = nullptr;
  timer_.cancel();
  // The others are kept: this may happen inside of one of them.
  auto on_end = std::exchange(handlers_.on_end, nullptr);
  if (!on_end)
    return;
  try {
    on_end(std::move(result_));
  } catch (...) {
    // It was told, and others are still to be.
  }
}

client_failure client_transfer::failure_of(CURLcode code) const {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return client_failure::resolve;
    case CURLE_COULDNT_CONNECT: return client_failure::connect;
    // Of its times, libcurl is only told that for connecting.
    case CURLE_OPERATION_TIMEDOUT:
      return number<curl_off_t>(CURLINFO_NAMELOOKUP_TIME_T) == 0 ? client_failure::resolve : client_failure::connect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return client_failure::tls;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return client_failure::cut;
    case CURLE_OUT_OF_MEMORY: return client_failure::no_memory;
    default: return client_failure::other;
  }
}

// ---- time --------------------------------------------------------------------------------------

void client_transfer::start(std::function<void()> changed, std::function<bool(size_t)> may_read) {
  changed_ = std::move(changed);
  may_read_ = std::move(may_read);
  end_at_ = asio::steady_timer::clock_type::now() + request_.total_timeout;
  arm();
}

void client_transfer::arm() {
  timer_.expires_at(std::min(end_at_, first_byte_at_));
  timer_.async_wait([weak = weak_from_this()](asio::error_code failed) {
    if (auto self = weak.lock(); self && !failed)
      guarded(
        *self, [&] { return self->alarm(), 0; }, 0);
  });
}

void client_transfer::alarm() {
  auto now = asio::steady_timer::clock_type::now();
  if (now >= end_at_)
    fail(client_failure::timeout, host_ + ": the answer was not complete after " + seconds(request_.total_timeout));
  else if (now >= first_byte_at_)
    fail(client_failure::timeout_first_byte,
         host_ + ": nothing of an answer after " + seconds(request_.first_byte_timeout));
}

int client_transfer::request_is_sent(void* self, char*, char*, int, int) {
  auto& t = *static_cast<client_transfer*>(self);
  auto wait = [&t] {
    t.has_left = true;
    t.first_byte_at_ = asio::steady_timer::clock_type::now() + t.request_.first_byte_timeout;
    t.arm();
    return CURL_PREREQFUNC_OK;
  };
  return guarded(t, wait, CURL_PREREQFUNC_ABORT);
}

// ---- what it tells -----------------------------------------------------------------------------

bool client_transfer::header_line(std::string_view line) {
  if (std::exchange(first_byte_at_, asio::steady_timer::time_point::max()) != asio::steady_timer::time_point::max())
    arm();
  head_bytes_ += line.size();
  if (head_bytes_ > client_head_bytes_max && has_head_)
    fail(client_failure::framing, host_ + ": the head of the answer and the fields behind its body have more than "
                                    + std::to_string(client_head_bytes_max) + " bytes");
  else if (head_bytes_ > client_head_bytes_max)
    fail(client_failure::too_large,
         host_ + ": the head of the answer has more than " + std::to_string(client_head_bytes_max) + " bytes");
  else if (!has_head_ && text::trimmed(line).empty())
    end_of_head();
  else if (!has_head_ && !line.starts_with("HTTP/"))
    add_field(line);
  return !over_;
}

void client_transfer::add_field(std::string_view line) {
  auto colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon)))
    return;
  if (result_.fields.size() == client_fields_max)
    return fail(client_failure::too_large,
                host_ + ": the head of the answer has more than " + std::to_string(client_fields_max) + " fields");
  result_.fields.push_back(
    {text::in_small_letters(line.substr(0, colon)), std::string{text::trimmed(line.substr(colon + 1))}});
}

void client_transfer::end_of_head() {
  auto status = number<long>(CURLINFO_RESPONSE_CODE);
  if (status < 200)
    return result_.fields.clear(); // another head follows
  has_head_ = true;
  result_.status = static_cast<uint16_t>(status);
  if (handlers_.on_head && !over_)
    handlers_.on_head(result_.status, result_.fields);
}

/// A body is held before libcurl looks at it: what it finds is one piece then, not one for each chunk.
void client_transfer::arrived(curl_infotype what, std::string_view bytes) {
  if (what == CURLINFO_SSL_DATA_IN && bytes.size() == record_head_bytes && !may_read_(record_bytes(bytes)))
    return fail(client_failure::framing, host_ + ": the server sends without end what belongs to no answer");
  if (what != CURLINFO_DATA_IN)
    return;
  wire_bytes_ += bytes.size();
  turn_bytes_ += bytes.size();
  auto most = client_framing_factor_max * (request_.response_bytes_max + client_framing_bytes_max);
  if (wire_bytes_ > most)
    fail(client_failure::framing,
         host_ + ": the answer takes more than " + std::to_string(most)
           + " bytes as it is sent, most of which only frame it (chunks of few bytes, or with long extensions)");
  if (over_ || turn_bytes_ > bytes_of_turn_max)
    hold();
}

/// libcurl reads no more of it, and keeps what it has.
void client_transfer::hold() {
  held_ = true;
  curl_.easy_pause(easy_, CURLPAUSE_RECV);
  if (changed_)
    changed_();
}

bool client_transfer::begin_turn() {
  if (!wants_turn() || !is_added)
    return false;
  held_ = false;
  turn_bytes_ = turn_pieces_ = 0;
  return true;
}

size_t client_transfer::body(std::string_view bytes) {
  if (over_)
    return CURL_WRITEFUNC_ERROR;
  if (paused_ || ++turn_pieces_ > pieces_of_turn_max) {
    held_ = true;
    if (changed_)
      changed_();
    return CURL_WRITEFUNC_PAUSE;
  }
  if (bytes.size() > request_.response_bytes_max - body_bytes_) {
    fail(client_failure::too_large,
         host_ + ": the answer has more than " + std::to_string(request_.response_bytes_max) + " bytes");
    return CURL_WRITEFUNC_ERROR;
  }
  body_bytes_ += bytes.size();
  if (handlers_.on_data)
    handlers_.on_data(bytes);
  else
    result_.body.append(bytes);
  return over_ ? CURL_WRITEFUNC_ERROR : bytes.size();
}

} // namespace http
