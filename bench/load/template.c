/* The request head from a file, made ready for each body length that occurs: lines end in CRLF, the method is the one
   the run asks for, every run of '#' is where the id goes, and the run of '@' is where a token goes: of several, each
   request has the next one. */
#define _GNU_SOURCE
#include "load.h"
#include "template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEMPLATES = 16 };

static struct template templates[MAX_TEMPLATES];
static unsigned used;
static char source[MAX_HEAD];
static char *tokens;
static size_t token_count, token_width;

void template_read(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) die("cannot read the head file");
  size_t length = fread(source, 1, sizeof source - 1, file);
  fclose(file);
  while (length > 0 && source[length - 1] == '\n') length--;
  source[length] = 0;
}

/* All tokens have the same length, so that one place in the head fits each of them. */
void template_tokens(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) die("cannot read the token file");
  fseek(file, 0, SEEK_END);
  size_t length = (size_t)ftell(file);
  rewind(file);
  tokens = malloc(length + 1);
  if (tokens == NULL || fread(tokens, 1, length, file) != length) die("cannot read the token file");
  fclose(file);
  tokens[length] = 0;
  token_width = strcspn(tokens, "\n");
  token_count = length / (token_width + 1);
  if (token_count == 0 || token_count * (token_width + 1) != length) die("the tokens differ in length");
}

static void find_token(struct template *template) {
  const char *found = memchr(template->text, '@', template->length);
  if (found == NULL) return;
  template->token_at = (size_t)(found - template->text);
  template->token_width = strspn(found, "@");
  if (template->token_width != token_width) die("the place for the token has another length than the tokens");
}

static void find_ids(struct template *template) {
  for (size_t at = 0; at < template->length; at++) {
    if (template->text[at] != '#') continue;
    size_t start = at;
    while (template->text[at] == '#') at++;
    if (template->ids == MAX_IDS) die("the head file has too many places for an id");
    template->id_at[template->ids] = start;
    template->id_width[template->ids++] = at - start;
  }
}

static struct template *make(uint64_t body) {
  if (used == MAX_TEMPLATES) die("too many body lengths");
  struct template *template = &templates[used++];
  template->body = body;
  const char *rest = strchr(source, ' ');
  if (rest == NULL) die("the head file has no request line");
  const char *method = body > 0 ? "POST" : options.method;
  char *to = template->text, *end = to + sizeof template->text;
  to += method == NULL ? sprintf(to, "%.*s", (int)(rest - source), source) : sprintf(to, "%s", method);
  for (const char *from = rest; *from != 0 && to + 64 < end; from++) {
    if (*from == '\n') *to++ = '\r';
    *to++ = *from;
  }
  to += sprintf(to, "\r\n");
  if (body > 0) to += sprintf(to, "Content-Length: %llu\r\n", (unsigned long long)body);
  to += sprintf(to, "\r\n");
  template->length = (size_t)(to - template->text);
  find_ids(template);
  find_token(template);
  return template;
}

const struct template *template_for(uint64_t body) {
  for (unsigned i = 0; i < used; i++) {
    if (templates[i].body == body) return &templates[i];
  }
  return make(body);
}

void template_write(const struct template *template, char *to, uint64_t id) {
  memcpy(to, template->text, template->length);
  for (unsigned i = 0; i < template->ids; i++) id_write(to + template->id_at[i], template->id_width[i], id);
  if (template->token_width == 0) return;
  memcpy(to + template->token_at, tokens + id % token_count * (token_width + 1), token_width);
}
