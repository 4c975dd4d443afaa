/* A request head with places for the id. */
#ifndef TEMPLATE_H
#define TEMPLATE_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_IDS = 8, MAX_TEXT = 32 * 1024 };

struct template {
  uint64_t body;
  size_t length, id_at[MAX_IDS], id_width[MAX_IDS];
  unsigned ids;
  size_t token_at, token_width;
  char text[MAX_TEXT];
};

void template_read(const char *path);
void template_tokens(const char *path);
const struct template *template_for(uint64_t body);
void template_write(const struct template *template, char *to, uint64_t id);

#endif
