import { allowOnlyFilter } from '../../filters/allow-only.ts';
import { assignmentFilter } from '../../filters/assignment.ts';
import { captureFilter } from '../../filters/capture.ts';
import { conditionEnforcementFilter } from '../../filters/condition-enforcement.ts';
import { conditionalFilter } from '../../filters/conditional.ts';
import { cookieFilter } from '../../filters/cookies/cookie.ts';
import { csrfFilter } from '../../filters/cookies/csrf.ts';
import { fragmentFilter } from '../../filters/cookies/fragment.ts';
import { setCookieUpdateFilter } from '../../filters/cookies/set-cookie-update.ts';
import { fileAttributesFilter } from '../../filters/credentials/file-attributes.ts';
import { httpBasicAuthFilter } from '../../filters/credentials/http-basic-auth.ts';
import { passwordReplayFilter } from '../../filters/credentials/password-replay.ts';
import { dateHeaderFilter } from '../../filters/date-header.ts';
import { entityExtractFilter } from '../../filters/entity-extract.ts';
import { forwardedRequestFilter } from '../../filters/forwarded-request.ts';
import { locationHeaderFilter } from '../../filters/location-header.ts';
import { corsFilter } from '../../filters/origin/cors.ts';
import { staticRequestFilter } from '../../filters/static-request.ts';
import { switchFilter } from '../../filters/switch.ts';
import { uriPathRewriteFilter } from '../../filters/uri-path-rewrite.ts';
import { resourceHandler } from '../../handlers/resource.ts';
import type { TypeDefinition } from '../../heap/definition.ts';

/** Filters and handlers that single applications need. */
export const commonTypes: readonly TypeDefinition[] = [
  allowOnlyFilter,
  assignmentFilter,
  captureFilter,
  conditionEnforcementFilter,
  conditionalFilter,
  cookieFilter,
  corsFilter,
  csrfFilter,
  dateHeaderFilter,
  entityExtractFilter,
  fileAttributesFilter,
  forwardedRequestFilter,
  fragmentFilter,
  httpBasicAuthFilter,
  locationHeaderFilter,
  passwordReplayFilter,
  resourceHandler,
  setCookieUpdateFilter,
  staticRequestFilter,
  switchFilter,
  uriPathRewriteFilter,
];
