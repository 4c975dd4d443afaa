/* The server behind the proxy: reads a request to its end, then answers with as many bytes as the run asks for. */
#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct backend {
  struct channel channel;
  bool in_body, damaged, introspects;
  uint64_t id, body_left, body_at;
  unsigned owed; /* answers that wait for an earlier long one to leave */
};

static uint64_t *seen;
static size_t seen_words;
static char plain_head[256];
static size_t plain_head_length;

/* What the endpoint for introspection knows of every token. */
static const char introspected[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 126\r\n\r\n"
    "{\"active\":true,\"scope\":\"orders:read orders:write\",\"client_id\":\"shop\",\"sub\":\"user-1842\","
    "\"exp\":4102444800,\"token_type\":\"Bearer\"}";

static size_t write_head(char *to, size_t room, uint64_t length, uint64_t id) {
  int used = snprintf(to, room, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %llu\r\n",
                      (unsigned long long)length);
  if (options.verify) {
    used += snprintf(to + used, room - (size_t)used, "X-Request-Id: %0*llu\r\n", ID_WIDTH, (unsigned long long)id);
  }
  used += snprintf(to + used, room - (size_t)used, "\r\n");
  return (size_t)used;
}

static void answer(struct backend *backend, uint64_t id) {
  struct channel *channel = &backend->channel;
  uint64_t length = answer_length(id);
  if (options.verify) {
    char head[256];
    size_t head_length = write_head(head, sizeof head, length, id);
    char *room = channel_room(channel, head_length + length);
    memcpy(room, head, head_length);
    body_write(room + head_length, id, length);
    return;
  }
  if (length <= INLINE_BODY) {
    char *room = channel_room(channel, plain_head_length + length);
    memcpy(room, plain_head, plain_head_length);
    memset(room + plain_head_length, 'a', length);
    return;
  }
  if (channel->fill > 0) {
    backend->owed++;
    return;
  }
  memcpy(channel_room(channel, plain_head_length), plain_head, plain_head_length);
  channel->fill = length;
}

static void finish_request(struct backend *backend) {
  if (backend->introspects) {
    memcpy(channel_room(&backend->channel, sizeof introspected - 1), introspected, sizeof introspected - 1);
    return;
  }
  if (backend->damaged) faults.damaged++;
  if (options.verify && !id_fresh(&seen, &seen_words, backend->id)) faults.repeated++;
  answer(backend, backend->id);
}

static bool read_requests(struct backend *backend, const char *bytes, size_t length) {
  while (length > 0) {
    if (!backend->in_body) {
      struct head head;
      int found = head_scan(bytes, length, &head);
      if (found < 0 || head.chunked) {
        faults.malformed++;
        return false;
      }
      if (found == 0) break;
      backend->introspects = strncmp(bytes, "POST /introspect", 16) == 0;
      bytes += head.length;
      length -= head.length;
      backend->id = head.id;
      backend->in_body = true;
      backend->body_left = head.body > 0 ? (uint64_t)head.body : 0;
      backend->body_at = 0;
      backend->damaged = backend->body_left != body_length(head.id) || (options.verify && !head.has_id);
    }
    size_t part = length < backend->body_left ? length : backend->body_left;
    if (options.verify && !body_matches(bytes, part, backend->id, backend->body_at)) backend->damaged = true;
    backend->body_at += part;
    backend->body_left -= part;
    bytes += part;
    length -= part;
    if (backend->body_left > 0) break;
    backend->in_body = false;
    finish_request(backend);
  }
  channel_hold(&backend->channel, bytes, length);
  return true;
}

static void drop(struct backend *backend) {
  channel_close(&backend->channel);
  free(backend);
}

static bool flush(struct backend *backend) {
  for (;;) {
    if (!channel_flush(&backend->channel)) return false;
    if (backend->channel.fill > 0 || backend->owed == 0) return true;
    backend->owed--;
    answer(backend, 0);
  }
}

static void on_backend(struct endpoint *endpoint, uint32_t events) {
  struct backend *backend = (struct backend *)endpoint;
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
    if (backend->in_body && !options.verify) {
      ssize_t got = channel_discard(&backend->channel, backend->body_left);
      if (got == 0 || got == -1) return drop(backend);
      if (got > 0) backend->body_left -= (uint64_t)got;
      if (backend->body_left == 0) {
        backend->in_body = false;
        finish_request(backend);
      }
    } else {
      char *bytes;
      ssize_t got = channel_receive(&backend->channel, &bytes);
      if (got == 0 || got == -1) return drop(backend);
      if (got > 0 && !read_requests(backend, bytes, (size_t)got)) return drop(backend);
    }
  }
  if (!flush(backend)) drop(backend);
}

static void on_accept(struct endpoint *listener, uint32_t events) {
  (void)events;
  for (;;) {
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    struct backend *backend = calloc(1, sizeof *backend);
    if (backend == NULL) die("out of memory");
    channel_open(&backend->channel, fd, on_backend);
  }
}

/* On 127.0.0.1, and under the same port on two more addresses, for gateways that spread requests over several. */
unsigned backend_listen(void) {
  static struct endpoint listeners[3];
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  plain_head_length = write_head(plain_head, sizeof plain_head, options.answer, 0);
  for (unsigned i = 0; i < 3; i++) {
    struct endpoint *listener = &listeners[i];
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + i);
    *listener = (struct endpoint){socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on_accept};
    if (listener->fd < 0 || bind(listener->fd, (struct sockaddr *)&address, size) < 0 ||
        listen(listener->fd, 4096) < 0) {
      die("cannot listen");
    }
    if (getsockname(listener->fd, (struct sockaddr *)&address, &size) < 0) die("cannot read the port");
    watch(listener, EPOLLIN);
  }
  return ntohs(address.sin_port);
}
