/* What OpenSSL alone takes to verify the signatures of tokens: signatures KEY.pem TOKENS ALGORITHM SECONDS
   Everything is decoded first; only hashing and verification are timed. */
#define _GNU_SOURCE
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 100000 };

static struct token {
  char *input;
  size_t input_length, signature_length;
  unsigned char *signature;
} tokens[MOST];

static _Noreturn void die(const char *what) {
  fprintf(stderr, "signatures: %s\n", what);
  exit(1);
}

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static size_t decode(const char *text, unsigned char *to) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  unsigned bits = 0, value = 0;
  size_t length = 0;
  for (; *text != 0; text++) {
    const char *digit = strchr(digits, *text);
    if (digit == NULL) die("a signature is not base64url");
    value = value << 6 | (unsigned)(digit - digits);
    bits += 6;
    if (bits >= 8) to[length++] = (unsigned char)(value >> (bits -= 8));
  }
  return length;
}

/* OpenSSL takes ECDSA signatures in DER only. */
static void to_der(struct token *token) {
  ECDSA_SIG *pair = ECDSA_SIG_new();
  size_t half = token->signature_length / 2;
  ECDSA_SIG_set0(pair, BN_bin2bn(token->signature, (int)half, NULL),
                 BN_bin2bn(token->signature + half, (int)half, NULL));
  unsigned char *der = NULL;
  token->signature_length = (size_t)i2d_ECDSA_SIG(pair, &der);
  token->signature = der;
  ECDSA_SIG_free(pair);
}

static size_t read_tokens(const char *path, int is_ecdsa) {
  FILE *file = fopen(path, "r");
  if (file == NULL) die("cannot read the tokens");
  size_t count = 0;
  char line[8192];
  while (count < MOST && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = 0;
    char *dot = strrchr(line, '.');
    if (dot == NULL) die("a token has no signature");
    *dot = 0;
    struct token *token = &tokens[count++];
    token->input = strdup(line);
    token->input_length = (size_t)(dot - line);
    token->signature = malloc(strlen(dot + 1));
    token->signature_length = decode(dot + 1, token->signature);
    if (is_ecdsa) to_der(token);
  }
  fclose(file);
  return count;
}

int main(int argc, char **argv) {
  if (argc != 5) die("KEY.pem TOKENS ALGORITHM SECONDS");
  FILE *file = fopen(argv[1], "r");
  EVP_PKEY *key = file == NULL ? NULL : PEM_read_PUBKEY(file, NULL, NULL, NULL);
  if (key == NULL) die("cannot read the key");
  const EVP_MD *digest = strcmp(argv[3], "EdDSA") == 0 ? NULL : EVP_sha256();
  size_t count = read_tokens(argv[2], strcmp(argv[3], "ES256") == 0);
  double seconds = atof(argv[4]), start = cpu_seconds(), taken = 0;
  unsigned long verified = 0;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  while (taken < seconds) {
    for (int i = 0; i < 64; i++, verified++) {
      struct token *token = &tokens[verified % count];
      EVP_MD_CTX_reset(context);
      if (EVP_DigestVerifyInit(context, NULL, digest, NULL, key) != 1 ||
          EVP_DigestVerify(context, token->signature, token->signature_length, (unsigned char *)token->input,
                           token->input_length) != 1) {
        die("a signature is not valid");
      }
    }
    taken = cpu_seconds() - start;
  }
  printf("%.3f\n", taken * 1e6 / (double)verified);
  return 0;
}
