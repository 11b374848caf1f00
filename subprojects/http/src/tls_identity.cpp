#include "tls_identity.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace http {

namespace {

/// What is in a file, wiped when it is dropped: it may be a key.
class pem_text {
public:
  /// `what` is what the file has, for a person.
  pem_text(std::string_view what, const std::string& file) {
    auto descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    auto why = descriptor < 0 ? std::generic_category().message(errno) : read(descriptor);
    if (descriptor >= 0)
      ::close(descriptor);
    if (!why.empty())
      problem_ = fmt::format("the {} {} can not be read: {}", what, file, why);
  }
  pem_text(const pem_text&) = delete;
  pem_text& operator=(const pem_text&) = delete;
  ~pem_text() { load_openssl().crypto.cleanse(text_.data(), text_.size()); }

  const std::string& problem() const { return problem_; }
  bool mentions(std::string_view words) const { return text_.find(words) != text_.npos; }
  openssl_ptr<BIO> reader() const {
    return openssl_ptr<BIO>{load_openssl().crypto.bio_new_mem_buf(text_.data(), static_cast<int>(text_.size()))};
  }

private:
  /// Gives why not.
  std::string read(int from) {
    struct stat about {};
    if (::fstat(from, &about) != 0)
      return std::generic_category().message(errno);
    if (!S_ISREG(about.st_mode))
      return "it is no file";
    if (about.st_size > static_cast<off_t>(pem_file_bytes_max))
      return fmt::format("it has more than {} KiB", pem_file_bytes_max >> 10);
    text_.resize(static_cast<size_t>(about.st_size)); // at once: what grows leaves copies behind
    auto count = ::read(from, text_.data(), text_.size());
    if (count < 0)
      return std::generic_category().message(errno);
    text_.resize(static_cast<size_t>(count));
    return {};
  }

  std::string text_;
  std::string problem_;
};

void read_chain(const std::string& file, tls_identity& into) {
  pem_text text{"certificate", file};
  into.problem = text.problem();
  if (!into.problem.empty())
    return;
  auto& crypto = load_openssl().crypto;
  auto from = text.reader();
  crypto.err_clear_error();
  while (auto* one = crypto.pem_read_bio_x509(from.get(), nullptr, nullptr, nullptr))
    into.chain.emplace_back(one);
  auto ended = ERR_GET_REASON(crypto.err_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!ended)
    into.problem = fmt::format("certificate {} in {} is damaged: {}", into.chain.size() + 1, file, openssl_reason());
  else if (into.chain.empty())
    into.problem = file + " has no certificate in PEM form";
  crypto.err_clear_error();
}

/// Of OpenSSL, which would ask on the terminal otherwise.
int refuse_passphrase(char*, int, int, void* asked) noexcept {
  *static_cast<bool*>(asked) = true;
  return -1;
}

void read_key(const std::string& file, tls_identity& into) {
  pem_text text{"key", file};
  into.problem = text.problem();
  if (!into.problem.empty())
    return;
  auto& crypto = load_openssl().crypto;
  auto from = text.reader();
  auto is_encrypted = false;
  crypto.err_clear_error();
  into.key.reset(crypto.pem_read_bio_private_key(from.get(), nullptr, refuse_passphrase, &is_encrypted));
  if (is_encrypted)
    into.problem = fmt::format("the key in {} is encrypted: it has to be without a passphrase", file);
  else if (!into.key && !text.mentions("PRIVATE KEY-----"))
    into.problem = file + " has no key in PEM form";
  else if (!into.key)
    into.problem = fmt::format("the key in {} is damaged: {}", file, openssl_reason());
  crypto.err_clear_error();
}

std::string words_of(const ASN1_TIME* time) {
  std::tm parts{};
  return load_openssl().crypto.asn1_time_to_tm(time, &parts) == 1 ? fmt::format("{:%Y-%m-%d %H:%M} UTC", parts)
                                                                  : "a time that can not be read";
}

std::string untimely(const X509* certificate, const std::string& file) {
  auto& crypto = load_openssl().crypto;
  auto* from = crypto.x509_get0_not_before(certificate);
  auto* until = crypto.x509_get0_not_after(certificate);
  if (crypto.x509_cmp_current_time(until) < 0)
    return fmt::format("the certificate in {} has expired: it was good until {}", file, words_of(until));
  if (crypto.x509_cmp_current_time(from) > 0)
    return fmt::format("the certificate in {} is not good yet: it will be from {} on", file, words_of(from));
  return {};
}

} // namespace

tls_identity read_identity(const tls_files& files) {
  tls_identity out;
  read_chain(files.certificate_file, out);
  if (!out.problem.empty())
    return out;
  read_key(files.key_file, out);
  if (!out.problem.empty())
    return out;
  auto& crypto = load_openssl().crypto;
  auto* own = out.chain.front().get();
  if (crypto.x509_check_private_key(own, out.key.get()) != 1)
    out.problem =
      fmt::format("the key in {} is not that of the first certificate in {}", files.key_file, files.certificate_file);
  else
    out.warning = untimely(own, files.certificate_file);
  crypto.err_clear_error();
  return out;
}

} // namespace http
