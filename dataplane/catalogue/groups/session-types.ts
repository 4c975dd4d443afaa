import type { TypeDefinition } from '../../heap/definition.ts';
import { authenticatedEncryptedJwtSessionManager } from '../../sessions/authenticated-encrypted-jwt-session-manager.ts';

/** Sessions beyond those in memory. */
export const sessionTypes: readonly TypeDefinition[] = [authenticatedEncryptedJwtSessionManager];
