/** Codes of requests that filters for sign-on refuse. */
export const signOnRefusals = ['sign-in-needed', 'sign-on-loop', 'session-unchecked', 'no-uri'] as const;

export type SignOnRefusal = (typeof signOnRefusals)[number];
