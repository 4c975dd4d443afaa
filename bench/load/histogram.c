/* Log-linear latency histogram: 128 steps per power of two, so a value is known to better than one percent. */
#include "load.h"

#include <string.h>

enum { STEPS = 128, STEP_BITS = 7, POWERS = 40 };

static uint64_t counts[STEPS * POWERS], total, highest;

static unsigned slot_of(uint64_t value) {
  if (value < STEPS) return (unsigned)value;
  unsigned power = 63u - (unsigned)__builtin_clzll(value) - STEP_BITS;
  unsigned slot = (power + 1) * STEPS + (unsigned)((value >> power) - STEPS);
  return slot < STEPS * POWERS ? slot : STEPS * POWERS - 1;
}

static double middle_of(unsigned slot) {
  if (slot < STEPS) return slot;
  unsigned power = slot / STEPS - 1;
  return ((double)(slot % STEPS + STEPS) + 0.5) * (double)(1ull << power);
}

void histogram_clear(void) {
  memset(counts, 0, sizeof counts);
  total = highest = 0;
}

void histogram_add(uint64_t nanoseconds) {
  counts[slot_of(nanoseconds)]++;
  total++;
  if (nanoseconds > highest) highest = nanoseconds;
}

/* In microseconds; quantile 1 is the largest value itself. */
double histogram_quantile(double quantile) {
  if (quantile >= 1 || total == 0) return (double)highest / 1e3;
  uint64_t rank = (uint64_t)((double)total * quantile), passed = 0;
  for (unsigned slot = 0; slot < STEPS * POWERS; slot++) {
    passed += counts[slot];
    if (passed > rank) return middle_of(slot) / 1e3;
  }
  return (double)highest / 1e3;
}
