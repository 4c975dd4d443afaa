/* The least a proxy can do: accept, connect, copy both ways, read nothing. What it costs is what the kernel costs.
   relay LISTEN_PORT BACKEND_PORT */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 256 * 1024, EVENTS = 512 };

/* One side of a pair; `waiting` are bytes from the other side that did not fit into this socket. */
struct side {
  int fd;
  bool writing;
  struct side *other, *next_doomed;
  char *waiting;
  size_t length, sent;
};

static int poll_fd;
static char buffer[BUFFER];
static struct sockaddr_in backend;

static void fail(const char *what) {
  fprintf(stderr, "relay: %s (%s)\n", what, strerror(errno));
  exit(1);
}

static void set_events(struct side *side, int how, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = side};
  epoll_ctl(poll_fd, how, side->fd, &event);
}

static void set_nodelay(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* The pair is freed after the batch of events, because a later event may still point to it. */
static struct side *doomed;

static void close_pair(struct side *side) {
  if (side->fd < 0) return;
  close(side->fd);
  close(side->other->fd);
  side->fd = side->other->fd = -1;
  side->next_doomed = doomed;
  doomed = side;
}

static void bury(void) {
  while (doomed != NULL) {
    struct side *side = doomed;
    doomed = side->next_doomed;
    free(side->waiting);
    free(side->other->waiting);
    free(side->other);
    free(side);
  }
}

static bool send_waiting(struct side *side) {
  while (side->sent < side->length) {
    ssize_t sent = send(side->fd, side->waiting + side->sent, side->length - side->sent, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == ENOTCONN;
    side->sent += (size_t)sent;
  }
  side->length = side->sent = 0;
  side->writing = false;
  set_events(side, EPOLL_CTL_MOD, EPOLLIN);
  set_events(side->other, EPOLL_CTL_MOD, EPOLLIN | (side->other->writing ? EPOLLOUT : 0u));
  return true;
}

static bool hold(struct side *to, const char *bytes, size_t length) {
  to->waiting = realloc(to->waiting, length);
  if (to->waiting == NULL) return false;
  memcpy(to->waiting, bytes, length);
  to->length = length;
  to->sent = 0;
  to->writing = true;
  set_events(to, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
  set_events(to->other, EPOLL_CTL_MOD, to->other->writing ? EPOLLOUT : 0u);
  return true;
}

static bool copy(struct side *from) {
  struct side *to = from->other;
  if (to->writing) return true;
  ssize_t got = recv(from->fd, buffer, BUFFER, 0);
  if (got <= 0) return got < 0 && errno == EAGAIN;
  ssize_t sent = send(to->fd, buffer, (size_t)got, MSG_NOSIGNAL);
  if (sent == got) return true;
  if (sent < 0 && errno != EAGAIN && errno != ENOTCONN) return false;
  size_t done = sent < 0 ? 0 : (size_t)sent;
  return hold(to, buffer + done, (size_t)got - done);
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    struct side *client = calloc(1, sizeof *client), *server = calloc(1, sizeof *server);
    if (client == NULL || server == NULL) fail("out of memory");
    *client = (struct side){.fd = fd, .other = server};
    *server = (struct side){.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), .other = client};
    if (server->fd < 0) fail("cannot make a socket");
    if (connect(server->fd, (struct sockaddr *)&backend, sizeof backend) < 0 && errno != EINPROGRESS) fail("cannot connect");
    set_nodelay(client->fd);
    set_nodelay(server->fd);
    set_events(client, EPOLL_CTL_ADD, EPOLLIN);
    set_events(server, EPOLL_CTL_ADD, EPOLLIN);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: relay LISTEN_PORT BACKEND_PORT\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  struct sockaddr_in listening = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
  listening.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  backend = listening;
  backend.sin_port = htons((uint16_t)atoi(argv[2]));
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&listening, sizeof listening) < 0 || listen(listener, 4096) < 0) fail("cannot listen");
  poll_fd = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
  epoll_ctl(poll_fd, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int ready = epoll_wait(poll_fd, events, EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      struct side *side = events[i].data.ptr;
      if (side == NULL) {
        accept_all(listener);
        continue;
      }
      if (side->fd < 0) continue;
      bool alive = true;
      if (events[i].events & EPOLLOUT) alive = send_waiting(side);
      if (alive && events[i].events & EPOLLIN) alive = copy(side);
      else if (events[i].events & (EPOLLHUP | EPOLLERR)) alive = false;
      if (!alive) close_pair(side);
    }
    bury();
  }
}
