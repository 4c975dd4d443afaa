/* Opens TLS connections one after the other, several at a time in turn, each for one request, and says how many it
   made: `handshakes PORT SECONDS full|resumed`. Resumed ones carry the newest ticket of the connection before. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char request[] = "GET /api/v1/orders/42 HTTP/1.1\r\nHost: orders.example.com\r\nConnection: close\r\n\r\n";
static SSL_SESSION *newest;

static void die(const char *what) {
  fprintf(stderr, "handshakes: %s\n", what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int keep(SSL *ssl, SSL_SESSION *session) {
  (void)ssl;
  if (newest != NULL) SSL_SESSION_free(newest);
  newest = session;
  return 1;
}

/* True when an answer of status 200 came. */
static bool converse(SSL *ssl) {
  static char answer[65536];
  size_t length = 0;
  if (SSL_write(ssl, request, sizeof request - 1) <= 0) return false;
  for (;;) {
    int got = SSL_read(ssl, answer + length, (int)(sizeof answer - length));
    if (got <= 0) break;
    length += (size_t)got;
  }
  return length > 12 && memcmp(answer, "HTTP/1.1 200", 12) == 0;
}

int main(int count, char **arguments) {
  if (count != 4) die("usage: handshakes PORT SECONDS full|resumed");
  bool resumes = strcmp(arguments[3], "resumed") == 0;
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                .sin_port = htons((unsigned short)atoi(arguments[1]))};
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, keep);
  unsigned long made = 0, resumed = 0, failed = 0;
  for (double end = now() + atof(arguments[2]); now() < end;) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) die("cannot connect");
    struct linger gone = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &gone, sizeof gone); /* else the ports run out */
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, fd);
    SSL_set_tlsext_host_name(ssl, "localhost");
    if (resumes && newest != NULL) SSL_set_session(ssl, newest);
    bool good = SSL_connect(ssl) == 1;
    if (good) {
      if (SSL_session_reused(ssl)) resumed++;
      good = converse(ssl);
    }
    made++;
    if (!good) failed++;
    SSL_shutdown(ssl);
    SSL_free(ssl);
    close(fd);
  }
  printf("{\"made\":%lu,\"resumed\":%lu,\"failed\":%lu}\n", made, resumed, failed);
  return 0;
}
