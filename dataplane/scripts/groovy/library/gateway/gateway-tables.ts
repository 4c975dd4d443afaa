import type { ClassSpec } from '../../values/java-class.ts';
import { contextSpecs } from './contexts.ts';
import { cookieClasses } from './cookies.ts';
import { formClasses } from './form.ts';
import { gatewayClasses } from './gateway-objects.ts';
import { headersClasses } from './headers.ts';
import { heapObjectClasses } from './heap-objects.ts';
import { jsonNodeClasses } from './json-node.ts';
import { jwtClasses } from './jwt-classes.ts';
import { jwtValidatorClasses } from './jwt-validator.ts';
import { messageClasses } from './message-classes.ts';
import { mutableUriClasses } from './mutable-uri.ts';
import { promiseClasses } from './promises.ts';
import { statusClasses } from './status.ts';

/** Classes of the gateway's own API. */
export const gatewayTables: readonly ClassSpec[] = [
  ...statusClasses,
  ...headersClasses,
  ...cookieClasses,
  ...mutableUriClasses,
  ...formClasses,
  ...messageClasses,
  ...promiseClasses,
  ...contextSpecs,
  ...jsonNodeClasses,
  ...gatewayClasses,
  ...heapObjectClasses,
  ...jwtClasses,
  ...jwtValidatorClasses,
];
