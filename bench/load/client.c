/* The clients in front of the proxy: keep-alive connections that ask, check what comes back and ask again, either as
   soon as an answer is in (closed loop) or when the clock says so (open loop). */
#define _GNU_SOURCE
#include "load.h"
#include "template.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { OPENING_AT_ONCE = 64, GRACE_SECONDS = 2 };

struct client {
  struct channel channel;
  struct client *next_free;
  struct {
    uint64_t id, due;
  } asked[MAX_DEPTH];
  unsigned first, outstanding, depth;
  bool opening, in_body, broken;
  uint64_t body_left, body_at;
};

static struct sockaddr_in proxy;
static struct client **clients;
static unsigned opened, wanted, opening;
static struct client *free_first, *free_last;
static uint64_t *answered_ids;
static size_t answered_words;
static uint64_t next_id, answered, sent, limit, begun, deadline;
static double interval;
static unsigned outstanding;
static bool running;

/* Requests that waited because this program was stopped say nothing about the proxy: none of those asked for until
   the arrears are made up enters the histogram. */
static bool in_arrears;
static uint64_t excluded, first_counted;

static void on_client(struct endpoint *endpoint, uint32_t events);

static void dial(struct client *client) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) die("cannot make a socket");
  if (connect(fd, (struct sockaddr *)&proxy, sizeof proxy) < 0 && errno != EINPROGRESS) die("cannot connect");
  channel_open(&client->channel, fd, on_client);
  client->first = client->outstanding = 0;
  client->in_body = client->broken = false;
}

static void ask(struct client *client, uint64_t due) {
  uint64_t id = next_id++, body = body_length(id);
  const struct template *template = template_for(body);
  bool inlined = options.verify || body <= INLINE_BODY;
  char *room = channel_room(&client->channel, template->length + (inlined ? body : 0));
  template_write(template, room, id);
  if (!inlined) client->channel.fill = body;
  else if (options.verify) body_write(room + template->length, id, body);
  else memset(room + template->length, 'a', body);
  unsigned slot = (client->first + client->outstanding++) % MAX_DEPTH;
  client->asked[slot].id = id;
  client->asked[slot].due = due;
  outstanding++;
}

static bool may_ask(void) {
  return running && interval == 0 && now < deadline && (limit == 0 || sent < limit);
}

static void set_free(struct client *client) {
  client->next_free = NULL;
  if (free_last == NULL) free_first = client;
  else free_last->next_free = client;
  free_last = client;
}

static void lose_connection(struct client *client) {
  if (client->in_body) faults.truncated++;
  faults.closed++;
  faults.lost += client->outstanding;
  outstanding -= client->outstanding;
  channel_close(&client->channel);
  if (faults.closed > 10000) die("the proxy closes every connection");
}

static void top_up(struct client *client) {
  while (client->outstanding < client->depth && may_ask()) {
    sent++;
    ask(client, now);
  }
}

static void settle(struct client *client) {
  if (client->opening && client->outstanding == 0) {
    client->opening = false;
    opening--;
    client_open_up_to(wanted);
    set_free(client);
  } else if (interval > 0 && client->outstanding == 0) {
    set_free(client);
  }
  if (interval == 0) top_up(client);
}

static void restart(struct client *client) {
  bool was_free = client->outstanding == 0 && !client->opening;
  lose_connection(client);
  if (options.idle > 0 && !client->opening) return;
  dial(client);
  if (client->opening) ask(client, now);
  else if (interval == 0) top_up(client);
  else if (!was_free) set_free(client);
  channel_flush(&client->channel);
}

static void complete(struct client *client) {
  uint64_t id = client->asked[client->first].id, due = client->asked[client->first].due;
  if (options.verify && !id_fresh(&answered_ids, &answered_words, id)) faults.duplicated++;
  client->first = (client->first + 1) % MAX_DEPTH;
  client->outstanding--;
  outstanding--;
  answered++;
  if (in_arrears || id < first_counted) excluded++;
  else histogram_add(now > due ? now - due : 0);
}

static bool begin_answer(struct client *client, const struct head *head) {
  uint64_t id = client->asked[client->first].id;
  if (head->body < 0 || head->chunked) {
    faults.malformed++;
    return false;
  }
  client->in_body = true;
  client->body_left = (uint64_t)head->body;
  client->body_at = 0;
  client->broken = true;
  if (head->status != 200) faults.refused++;
  else if (options.verify && (!head->has_id || head->id != id)) faults.mixed++;
  else if ((uint64_t)head->body != answer_length(id)) faults.truncated++;
  else client->broken = false;
  return true;
}

static bool read_answers(struct client *client, const char *bytes, size_t length) {
  while (length > 0) {
    if (!client->in_body) {
      struct head head;
      int found = head_scan(bytes, length, &head);
      if (found == 0) break;
      if (client->outstanding == 0) {
        faults.duplicated++;
        return false;
      }
      if (found < 0) {
        faults.malformed++;
        return false;
      }
      if (!begin_answer(client, &head)) return false;
      bytes += head.length;
      length -= head.length;
    }
    size_t part = length < client->body_left ? length : client->body_left;
    uint64_t id = client->asked[client->first].id;
    if (options.verify && !client->broken && !body_matches(bytes, part, id, client->body_at)) {
      client->broken = true;
      faults.mixed++;
    }
    client->body_at += part;
    client->body_left -= part;
    bytes += part;
    length -= part;
    if (client->body_left > 0) break;
    client->in_body = false;
    complete(client);
  }
  channel_hold(&client->channel, bytes, length);
  return true;
}

static void on_client(struct endpoint *endpoint, uint32_t events) {
  struct client *client = (struct client *)endpoint;
  unsigned before = client->outstanding;
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
    if (client->in_body && !options.verify) {
      ssize_t got = channel_discard(&client->channel, client->body_left);
      if (got == 0 || got == -1) return restart(client);
      refresh_now();
      if (got > 0) client->body_left -= (uint64_t)got;
      if (client->body_left == 0) {
        client->in_body = false;
        complete(client);
      }
    } else {
      char *bytes;
      ssize_t got = channel_receive(&client->channel, &bytes);
      if (got == 0 || got == -1) return restart(client);
      refresh_now();
      if (got > 0 && !read_answers(client, bytes, (size_t)got)) return restart(client);
    }
  }
  if (client->outstanding < before) settle(client);
  if (!channel_flush(&client->channel)) restart(client);
}

void client_setup(unsigned port) {
  proxy = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  proxy.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (options.token_file != NULL) template_tokens(options.token_file);
  template_read(options.head_file);
  next_id = 1;
}

/* Opens connections a few at a time, one request on each, so that no accept queue overflows. */
void client_open_up_to(unsigned connections) {
  if (connections > wanted) {
    clients = realloc(clients, connections * sizeof *clients);
    if (clients == NULL) die("out of memory");
    wanted = connections;
  }
  while (opened < wanted && opening < OPENING_AT_ONCE) {
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL) die("out of memory");
    client->depth = options.verify ? 1 + opened % options.depth : options.depth;
    client->opening = true;
    clients[opened++] = client;
    opening++;
    dial(client);
    ask(client, now);
    if (!channel_flush(&client->channel)) die("cannot send");
  }
}

bool client_all_open(void) {
  return opened == wanted && opening == 0;
}

/* Starts a stretch of load that ends by time or by count, whichever is given. */
void client_begin(double seconds, uint64_t count) {
  now = begun = clock_now();
  deadline = seconds > 0 ? now + (uint64_t)(seconds * 1e9) : UINT64_MAX;
  limit = count;
  sent = answered = excluded = first_counted = 0;
  in_arrears = false;
  interval = options.rate > 0 ? 1e9 / options.rate : 0;
  running = true;
  histogram_clear();
  if (interval > 0) return;
  for (unsigned i = 0; i < opened; i++) {
    top_up(clients[i]);
    channel_flush(&clients[i]->channel);
  }
}

/* Open loop: sends what is due; a request that had to wait counts from the moment it was due. */
void client_pace(void) {
  if (!running || interval == 0) return;
  for (;;) {
    uint64_t due = begun + (uint64_t)(interval * (double)sent);
    if (due >= deadline || (limit > 0 && sent >= limit)) {
      running = false;
      return;
    }
    if (deadline != UINT64_MAX && now > deadline + GRACE_SECONDS * 1000000000ull) {
      faults.unsent += (uint64_t)((double)(deadline - due) / interval);
      running = false;
      return;
    }
    if (due > now && in_arrears) {
      in_arrears = false;
      first_counted = next_id;
    }
    if (due > now || free_first == NULL) return;
    struct client *client = free_first;
    free_first = client->next_free;
    if (free_first == NULL) free_last = NULL;
    sent++;
    ask(client, due);
    if (!channel_flush(&client->channel)) restart(client);
  }
}

bool client_pacing(void) {
  return running && interval > 0;
}

/* Nanoseconds until something must be sent, or a while when nothing is planned. */
uint64_t client_pause(void) {
  const uint64_t a_while = 100000000;
  if (!client_pacing() || free_first == NULL) return a_while;
  uint64_t due = begun + (uint64_t)(interval * (double)sent);
  return due <= now ? 0 : due - now < a_while ? due - now : a_while;
}

void client_was_stopped(void) {
  in_arrears = true;
}

bool client_finished(void) {
  if (interval == 0 && (now >= deadline || (limit > 0 && sent >= limit))) running = false;
  return !running && outstanding == 0;
}

/* Nothing came for too long: whatever is still open is lost. */
void client_give_up(void) {
  faults.lost += outstanding;
  outstanding = 0;
  running = false;
}

uint64_t client_answered(void) {
  return answered;
}

uint64_t client_excluded(void) {
  return excluded;
}

unsigned client_outstanding(void) {
  return outstanding;
}
