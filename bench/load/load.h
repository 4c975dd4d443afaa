/* What the parts of the load program share: options, counters, and one non-blocking socket with its buffers. */
#ifndef LOAD_H
#define LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { ID_WIDTH = 16, MAX_DEPTH = 64, MAX_HEAD = 64 * 1024, INLINE_BODY = 4096, BLOCK = 256 * 1024 };

struct options {
  unsigned connections, depth, idle;
  bool verify;
  bool again;
  uint64_t count, body, answer;
  double seconds, warmup, rate;
  const char *head_file, *method, *token_file;
  unsigned to;
};

/* Everything that must be zero when a proxy did its work. */
struct faults {
  uint64_t refused;    /* a status other than 200 */
  uint64_t malformed;  /* a head that cannot be read or has no length */
  uint64_t mixed;      /* an answer, header or body, that belongs to another request */
  uint64_t lost;       /* a request that never got its answer */
  uint64_t duplicated; /* an answer nobody asked for, or a second one for the same id */
  uint64_t truncated;  /* a body of another length than was sent */
  uint64_t repeated;   /* a request that reached the backend twice */
  uint64_t damaged;    /* a request that reached the backend with another body */
  uint64_t closed;     /* a connection the proxy closed although it should be kept alive */
  uint64_t unsent;     /* open loop: requests that were due and found no free connection in time */
};

struct endpoint {
  int fd;
  void (*ready)(struct endpoint *self, uint32_t events);
};

/* A socket with the bytes it has yet to send, then `fill` bytes of the shared block, and the half message it holds. */
struct channel {
  struct endpoint endpoint;
  char *out;
  size_t out_length, out_sent, out_capacity;
  uint64_t fill;
  bool wants_write;
  char *held;
  size_t held_length;
};

struct head {
  size_t length;
  int status;
  int64_t body;
  uint64_t id;
  bool has_id, close, chunked;
};

extern struct options options;
extern struct faults faults;
extern uint64_t now;

/* load.c */
uint64_t clock_now(void);
void refresh_now(void);
void watch(struct endpoint *endpoint, uint32_t events);
void rewatch(struct endpoint *endpoint, uint32_t events);
_Noreturn void die(const char *what);

/* channel.c */
void channel_setup(void);
void channel_open(struct channel *channel, int fd, void (*ready)(struct endpoint *, uint32_t));
void channel_close(struct channel *channel);
char *channel_room(struct channel *channel, size_t length);
bool channel_flush(struct channel *channel);
ssize_t channel_receive(struct channel *channel, char **bytes);
ssize_t channel_discard(struct channel *channel, uint64_t length);
void channel_hold(struct channel *channel, const char *bytes, size_t length);

/* head.c */
int head_scan(const char *bytes, size_t length, struct head *head);
void id_write(char *to, size_t width, uint64_t id);
bool id_fresh(uint64_t **seen, size_t *words, uint64_t id);
uint64_t body_length(uint64_t id);
uint64_t answer_length(uint64_t id);
void body_write(char *to, uint64_t id, size_t length);
bool body_matches(const char *bytes, size_t length, uint64_t id, uint64_t at);

/* backend.c */
unsigned backend_listen(void);

/* client.c */
void client_setup(unsigned port);
void client_open_up_to(unsigned connections);
bool client_all_open(void);
void client_begin(double seconds, uint64_t count);
void client_pace(void);
bool client_pacing(void);
uint64_t client_pause(void);
void client_was_stopped(void);
bool client_finished(void);
void client_give_up(void);
uint64_t client_answered(void);
uint64_t client_excluded(void);
unsigned client_outstanding(void);

/* histogram.c */
void histogram_clear(void);
void histogram_add(uint64_t nanoseconds);
double histogram_quantile(double quantile);

#endif
