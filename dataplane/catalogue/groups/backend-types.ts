import { circuitBreakerFilter } from '../../filters/circuit-breaker.ts';
import { mirrorFilter } from '../../filters/mirror/mirror.ts';
import { splitHandler } from '../../handlers/split.ts';
import type { TypeDefinition } from '../../heap/definition.ts';
import { backends } from '../../services/backends.ts';
import { customProxyOptions } from '../../services/custom-proxy-options.ts';
import { systemProxyOptions } from '../../services/system-proxy-options.ts';

/** Ways to backends beyond a single address. */
export const backendTypes: readonly TypeDefinition[] = [
  backends,
  circuitBreakerFilter,
  customProxyOptions,
  mirrorFilter,
  splitHandler,
  systemProxyOptions,
];
