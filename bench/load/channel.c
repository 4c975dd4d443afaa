/* Non-blocking sockets that copy as little as they can: long bodies leave from one shared block and are received
   by throwing the bytes away inside the kernel. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BLOCKS_PER_SEND = 4 };

static char block[BLOCK];
static char inbox[MAX_HEAD + BLOCK];

void channel_setup(void) {
  for (size_t at = 0; at < BLOCK; at++) block[at] = (char)('a' + at % 26);
}

void channel_open(struct channel *channel, int fd, void (*ready)(struct endpoint *, uint32_t)) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  channel->endpoint.fd = fd;
  channel->endpoint.ready = ready;
  channel->out_length = channel->out_sent = channel->held_length = 0;
  channel->fill = 0;
  channel->wants_write = false;
  watch(&channel->endpoint, EPOLLIN);
}

void channel_close(struct channel *channel) {
  close(channel->endpoint.fd);
  channel->endpoint.fd = -1;
  free(channel->out);
  free(channel->held);
  channel->out = channel->held = NULL;
  channel->out_length = channel->out_sent = channel->out_capacity = channel->held_length = 0;
  channel->fill = 0;
}

/* Space for bytes that go out with the next flush. */
char *channel_room(struct channel *channel, size_t length) {
  if (channel->out_length + length > channel->out_capacity) {
    size_t capacity = channel->out_length + length + 1024;
    channel->out = realloc(channel->out, capacity);
    if (channel->out == NULL) die("out of memory");
    channel->out_capacity = capacity;
  }
  char *room = channel->out + channel->out_length;
  channel->out_length += length;
  return room;
}

static void want_write(struct channel *channel, bool wanted) {
  if (channel->wants_write == wanted) return;
  channel->wants_write = wanted;
  rewatch(&channel->endpoint, wanted ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static ssize_t send_some(struct channel *channel) {
  size_t own = channel->out_length - channel->out_sent;
  if (channel->fill == 0) return send(channel->endpoint.fd, channel->out + channel->out_sent, own, MSG_NOSIGNAL);
  struct iovec parts[BLOCKS_PER_SEND + 1];
  int used = 0;
  if (own > 0) parts[used++] = (struct iovec){channel->out + channel->out_sent, own};
  uint64_t left = channel->fill;
  while (left > 0 && used < BLOCKS_PER_SEND + 1) {
    size_t part = left < BLOCK ? left : BLOCK;
    parts[used++] = (struct iovec){block, part};
    left -= part;
  }
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)used};
  return sendmsg(channel->endpoint.fd, &message, MSG_NOSIGNAL);
}

/* False when the peer is gone. */
bool channel_flush(struct channel *channel) {
  while (channel->out_sent < channel->out_length || channel->fill > 0) {
    ssize_t sent = send_some(channel);
    if (sent < 0) {
      if (errno != EAGAIN) return false;
      want_write(channel, true);
      return true;
    }
    size_t own = channel->out_length - channel->out_sent;
    size_t of_own = (size_t)sent < own ? (size_t)sent : own;
    channel->out_sent += of_own;
    channel->fill -= (size_t)sent - of_own;
  }
  channel->out_length = channel->out_sent = 0;
  want_write(channel, false);
  return true;
}

/* What was held plus what arrived; 0 at the end, -1 when broken, -2 when nothing is there. Valid until the next call. */
ssize_t channel_receive(struct channel *channel, char **bytes) {
  size_t held = channel->held_length;
  if (held > 0) memcpy(inbox, channel->held, held);
  ssize_t got = recv(channel->endpoint.fd, inbox + held, sizeof inbox - held, 0);
  if (got < 0) return errno == EAGAIN ? -2 : -1;
  if (got == 0) return 0;
  channel->held_length = 0;
  *bytes = inbox;
  return (ssize_t)held + got;
}

ssize_t channel_discard(struct channel *channel, uint64_t length) {
  ssize_t got = recv(channel->endpoint.fd, NULL, length, MSG_TRUNC);
  if (got < 0) return errno == EAGAIN ? -2 : -1;
  return got;
}

void channel_hold(struct channel *channel, const char *bytes, size_t length) {
  channel->held_length = length;
  if (length == 0) return;
  channel->held = realloc(channel->held, length);
  if (channel->held == NULL) die("out of memory");
  memcpy(channel->held, bytes, length);
}
