/* Load generator and backend in one loop, so that one core plays both ends and the other belongs to the proxy.
   Says `backend PORT`, is told `proxy PORT`, opens its connections and warms up, says `warm`, waits for `go`, measures,
   and prints one line of JSON. With --again it says `warm` once more, and goes on until it is ended. With --to PORT it asks
   nobody. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512, STALL_SECONDS = 10, PROGRESS_SECONDS = 5, JUMP_NANOSECONDS = 300000 };

struct options options = {.connections = 64, .depth = 1, .answer = 1024, .seconds = 3};
struct faults faults;
uint64_t now;

static int poll_fd;
static char command[256];
static size_t command_length;
static bool command_ready;

_Noreturn void die(const char *what) {
  fprintf(stderr, "load: %s (%s)\n", what, strerror(errno));
  exit(1);
}

uint64_t clock_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

/* When the clock is further than we meant to sleep, the machine took our core away. */
static void refresh_after(uint64_t slept) {
  uint64_t before = now;
  now = clock_now();
  if (client_pacing() && now > before + slept + JUMP_NANOSECONDS) client_was_stopped();
}

void refresh_now(void) {
  refresh_after(0);
}

void watch(struct endpoint *endpoint, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = endpoint};
  if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, endpoint->fd, &event) < 0) die("cannot watch");
}

void rewatch(struct endpoint *endpoint, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = endpoint};
  if (epoll_ctl(poll_fd, EPOLL_CTL_MOD, endpoint->fd, &event) < 0) die("cannot watch");
}

static void on_command(struct endpoint *endpoint, uint32_t events) {
  (void)events;
  ssize_t got = read(endpoint->fd, command + command_length, sizeof command - 1 - command_length);
  if (got == 0) exit(0); /* whoever started us is gone */
  if (got < 0) return;
  command_length += (size_t)got;
  command[command_length] = 0;
  command_ready = strchr(command, '\n') != NULL;
}

/* Open loop sleeps to the nanosecond instead of spinning, so that the kernel's network thread gets our core in time. */
static void turn(void) {
  struct epoll_event events[EVENTS];
  uint64_t pause = client_pause();
  struct timespec timeout = {.tv_sec = 0, .tv_nsec = (long)pause};
  int ready = epoll_pwait2(poll_fd, events, EVENTS, &timeout, NULL);
  refresh_after(pause);
  for (int i = 0; i < ready; i++) {
    struct endpoint *endpoint = events[i].data.ptr;
    endpoint->ready(endpoint, events[i].events);
    refresh_now();
  }
}

/* Runs the loop until `done`; gives up when requests are open and no answer came for long. */
static void run_until(bool (*done)(void)) {
  uint64_t progress = client_answered(), progress_at = clock_now(), told_at = progress_at;
  while (!done()) {
    client_pace();
    turn();
    if (client_answered() != progress || client_outstanding() == 0) {
      progress = client_answered();
      progress_at = now;
    } else if (now > progress_at + STALL_SECONDS * 1000000000ull) {
      client_give_up();
      return;
    }
    if (options.verify && now > told_at + PROGRESS_SECONDS * 1000000000ull) {
      told_at = now;
      printf("progress %llu\n", (unsigned long long)client_answered());
    }
  }
}

static bool has_command(void) {
  return command_ready;
}

static unsigned await_command(const char *name) {
  run_until(has_command);
  unsigned number = 0;
  size_t length = strlen(name);
  if (strncmp(command, name, length) != 0) die("unexpected command");
  sscanf(command + length, "%u", &number);
  char *rest = strchr(command, '\n') + 1;
  command_length -= (size_t)(rest - command);
  memmove(command, rest, command_length + 1);
  command_ready = strchr(command, '\n') != NULL;
  return number;
}

static void print_result(double seconds) {
  printf("{\"requests\":%llu,\"excluded\":%llu,\"seconds\":%.6f,\"p50\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f,",
         (unsigned long long)client_answered(), (unsigned long long)client_excluded(), seconds,
         histogram_quantile(0.5), histogram_quantile(0.99), histogram_quantile(0.999), histogram_quantile(1));
  printf("\"faults\":{");
  const struct {
    const char *name;
    uint64_t value;
  } all[] = {
      {"refused", faults.refused},     {"malformed", faults.malformed},   {"mixed", faults.mixed},
      {"lost", faults.lost},           {"duplicated", faults.duplicated}, {"truncated", faults.truncated},
      {"repeated", faults.repeated},   {"damaged", faults.damaged},       {"closed", faults.closed},
      {"unsent", faults.unsent},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    printf("%s\"%s\":%llu", i == 0 ? "" : ",", all[i].name, (unsigned long long)all[i].value);
  }
  printf("}}\n");
}

static void read_options(int argc, char **argv) {
  static const struct option known[] = {
      {"connections", 1, 0, 'c'}, {"depth", 1, 0, 'd'},   {"head", 1, 0, 'h'},  {"method", 1, 0, 'm'},
      {"body", 1, 0, 'b'},        {"answer", 1, 0, 'a'},  {"count", 1, 0, 'n'}, {"seconds", 1, 0, 's'},
      {"warmup", 1, 0, 'w'},      {"rate", 1, 0, 'r'},    {"idle", 1, 0, 'i'},  {"verify", 0, 0, 'v'},
      {"to", 1, 0, 't'},          {"tokens", 1, 0, 'k'}, {"again", 0, 0, 'g'},
      {0, 0, 0, 0},
  };
  for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    switch (option) {
      case 'c': options.connections = (unsigned)atoi(optarg); break;
      case 'd': options.depth = (unsigned)atoi(optarg); break;
      case 'h': options.head_file = optarg; break;
      case 'm': options.method = optarg; break;
      case 'b': options.body = strtoull(optarg, NULL, 10); break;
      case 'a': options.answer = strtoull(optarg, NULL, 10); break;
      case 'n': options.count = strtoull(optarg, NULL, 10), options.seconds = 0; break;
      case 's': options.seconds = atof(optarg); break;
      case 'w': options.warmup = atof(optarg); break;
      case 'r': options.rate = atof(optarg); break;
      case 'i': options.idle = (unsigned)atoi(optarg); break;
      case 'v': options.verify = true; break;
      case 'k': options.token_file = optarg; break;
      case 'g': options.again = true; break;
      case 't': options.to = (unsigned)atoi(optarg); break;
      default: exit(2);
    }
  }
  errno = EINVAL;
  if (options.head_file == NULL) die("--head FILE is needed");
  if (options.connections == 0 || options.depth == 0 || options.depth > MAX_DEPTH) die("bad --connections or --depth");
  if (options.depth > 1 && options.body > INLINE_BODY) die("long request bodies cannot be pipelined");
  if (options.rate > 0 && options.depth > 1) die("--rate goes without --depth");
}

static void raise_file_limit(void) {
  struct rlimit files = {65536, 65536};
  if (setrlimit(RLIMIT_NOFILE, &files) == 0) return;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

/* Where whoever started us reads figures of the proxy while it has nothing to do. */
static void checkpoint(const char *name) {
  if (options.to > 0) return;
  printf("%s\n", name);
  await_command("go");
}

int main(int argc, char **argv) {
  static struct endpoint commands = {0, on_command};
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_TIMERSLACK, 1);
  read_options(argc, argv);
  raise_file_limit();
  channel_setup();
  poll_fd = epoll_create1(EPOLL_CLOEXEC);
  printf("backend %u\n", backend_listen());
  if (options.to == 0) {
    fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
    watch(&commands, EPOLLIN);
  }

  client_setup(options.to > 0 ? options.to : await_command("proxy"));
  client_open_up_to(options.connections);
  run_until(client_all_open);
  if (options.warmup > 0) {
    client_begin(options.warmup, 0);
    run_until(client_finished);
  }
  do {
    checkpoint("warm");
    uint64_t start = clock_now();
    if (options.idle > 0) {
      client_open_up_to(options.connections + options.idle);
      run_until(client_all_open);
      checkpoint("held");
    } else {
      faults = (struct faults){0};
      start = clock_now();
      client_begin(options.seconds, options.count);
      run_until(client_finished);
    }
    print_result((double)(clock_now() - start) / 1e9);
  } while (options.again);
  return 0;
}
