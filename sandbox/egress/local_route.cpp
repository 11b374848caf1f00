#include "sandbox/egress/local_route.hpp"

#include "process/child.hpp"

#include <array>
#include <cstring>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

namespace egress {

namespace {

/// A question to rtnetlink(7): the route to one address, and its bytes.
struct route_question {
  nlmsghdr head{};
  rtmsg route{};
  rtattr to{};
  std::array<unsigned char, 16> address{};
};

route_question question_about(const asio::ip::address& address) {
  route_question q;
  auto fill = [&](auto bytes, unsigned char family) {
    std::memcpy(q.address.data(), bytes.data(), bytes.size());
    q.route.rtm_family = family;
    q.route.rtm_dst_len = static_cast<unsigned char>(8 * bytes.size());
    q.to.rta_len = static_cast<unsigned short>(RTA_LENGTH(bytes.size()));
  };
  if (address.is_v4())
    fill(address.to_v4().to_bytes(), AF_INET);
  else
    fill(address.to_v6().to_bytes(), AF_INET6);
  q.to.rta_type = RTA_DST;
  q.head.nlmsg_type = RTM_GETROUTE;
  q.head.nlmsg_flags = NLM_F_REQUEST;
  q.head.nlmsg_len = NLMSG_LENGTH(sizeof(rtmsg)) + q.to.rta_len;
  return q;
}

} // namespace

bool is_routed_to_us(const asio::ip::address& address) {
  process::descriptor kernel{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
  auto question = question_about(address);
  alignas(nlmsghdr) std::array<char, 4096> answer{}; // the kernel answers within the call that asks
  if (!kernel || ::send(kernel.get(), &question, question.head.nlmsg_len, 0) < 0)
    return true;
  auto size = ::recv(kernel.get(), answer.data(), answer.size(), MSG_DONTWAIT);
  if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(rtmsg))))
    return true;
  nlmsghdr head;
  std::memcpy(&head, answer.data(), sizeof head);
  if (head.nlmsg_type == NLMSG_ERROR) // there is no route
    return false;
  rtmsg route;
  std::memcpy(&route, answer.data() + NLMSG_HDRLEN, sizeof route);
  return route.rtm_type == RTN_LOCAL || route.rtm_type == RTN_ANYCAST;
}

} // namespace egress
