/* Heads, ids and bodies as client and backend agree on them. In verify mode an id decides both body lengths, and a
   body is its id over and over, so that any foreign byte shows. */
#define _GNU_SOURCE
#include "load.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool named(const char *line, size_t length, const char *name, size_t name_length, const char **value) {
  if (length <= name_length || line[name_length] != ':' || strncasecmp(line, name, name_length) != 0) return false;
  *value = line + name_length + 1;
  while (**value == ' ' || **value == '\t') (*value)++;
  return true;
}

static uint64_t number(const char *digits) {
  uint64_t value = 0;
  for (; *digits >= '0' && *digits <= '9'; digits++) value = value * 10 + (uint64_t)(*digits - '0');
  return value;
}

/* 1: a whole head was read; 0: more bytes are needed; -1: this is no head. */
int head_scan(const char *bytes, size_t length, struct head *head) {
  const char *end = bytes + length, *line = bytes, *value;
  *head = (struct head){.body = -1};
  for (;;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    if (newline == NULL) return length < MAX_HEAD ? 0 : -1;
    size_t size = (size_t)(newline - line);
    if (size == 0 || line[size - 1] != '\r') return -1;
    if (size == 1) {
      head->length = (size_t)(newline + 1 - bytes);
      return line == bytes ? -1 : 1;
    }
    if (line == bytes) {
      if (size > 12 && memcmp(line, "HTTP/1.", 7) == 0) head->status = (int)number(line + 9);
    } else {
      switch (line[0] | 32) {
        case 'c':
          if (named(line, size, "content-length", 14, &value)) head->body = (int64_t)number(value);
          else if (named(line, size, "connection", 10, &value)) head->close = strncasecmp(value, "close", 5) == 0;
          break;
        case 't':
          if (named(line, size, "transfer-encoding", 17, &value)) head->chunked = true;
          break;
        case 'x':
          if (named(line, size, "x-request-id", 12, &value)) {
            head->id = number(value);
            head->has_id = true;
          }
          break;
      }
    }
    line = newline + 1;
  }
}

void id_write(char *to, size_t width, uint64_t id) {
  while (width-- > 0) {
    to[width] = (char)('0' + id % 10);
    id /= 10;
  }
}

/* Marks the id as seen; false when it was seen before. */
bool id_fresh(uint64_t **seen, size_t *words, uint64_t id) {
  size_t word = id / 64;
  if (word >= *words) {
    if (id > 1ull << 36) return false; /* no id of ours is that large: a damaged one must not claim the memory */
    size_t grown = (word + 1) * 2;
    *seen = realloc(*seen, grown * sizeof **seen);
    if (*seen == NULL) die("out of memory");
    memset(*seen + *words, 0, (grown - *words) * sizeof **seen);
    *words = grown;
  }
  uint64_t bit = 1ull << (id % 64);
  if ((*seen)[word] & bit) return false;
  (*seen)[word] |= bit;
  return true;
}

static uint64_t spread(uint64_t id) {
  id *= 0x9e3779b97f4a7c15ull;
  return id >> 32;
}

uint64_t body_length(uint64_t id) {
  static const uint64_t lengths[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 300, 1024, 5000, 40000};
  return options.verify ? lengths[spread(id) % 16] : options.body;
}

uint64_t answer_length(uint64_t id) {
  static const uint64_t lengths[16] = {0, 1, 16, 100, 100, 512, 1024, 1024, 1024, 1024, 2000, 4096, 4096, 9000, 20000, 70000};
  return options.verify ? lengths[spread(id) / 16 % 16] : options.answer;
}

void body_write(char *to, uint64_t id, size_t length) {
  char text[ID_WIDTH];
  id_write(text, ID_WIDTH, id);
  for (size_t at = 0; at < length; at += ID_WIDTH) {
    memcpy(to + at, text, length - at < ID_WIDTH ? length - at : ID_WIDTH);
  }
}

bool body_matches(const char *bytes, size_t length, uint64_t id, uint64_t at) {
  char text[2 * ID_WIDTH];
  id_write(text, ID_WIDTH, id);
  memcpy(text + ID_WIDTH, text, ID_WIDTH);
  const char *turned = text + at % ID_WIDTH;
  for (; length >= ID_WIDTH; bytes += ID_WIDTH, length -= ID_WIDTH) {
    if (memcmp(bytes, turned, ID_WIDTH) != 0) return false;
  }
  return memcmp(bytes, turned, length) == 0;
}
