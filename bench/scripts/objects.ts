/** The filters in both languages that the bench measures. */
import type { JsonObject } from '../../contract/document/json-value.ts';

/** Languages that are measured, by the media type of their scripts. */
export const LANGUAGES = { groovy: 'application/x-groovy', javascript: 'application/javascript' } as const;
export type Language = keyof typeof LANGUAGES;

export function scriptableFilter(language: Language, source: readonly string[]): JsonObject {
  return { type: 'ScriptableFilter', config: { type: LANGUAGES[language], source: [...source] } };
}

/** Reads a header, sets another, and passes the request on. */
const HEADERS: Readonly<Record<Language, readonly string[]>> = {
  groovy: [
    "request.headers['X-Client-Program'] = request.headers['User-Agent'].firstValue",
    'next.handle(context, request)',
  ],
  javascript: ["request.headers.set('X-Client-Program', request.headers.get('User-Agent'))", 'return next(request)'],
};

export function headerFilter(language: Language): JsonObject {
  return scriptableFilter(language, HEADERS[language]);
}

const ENDLESS: Readonly<Record<Language, readonly string[]>> = {
  groovy: ['while (true) {}'],
  javascript: ['for (;;) {}'],
};

/** Never ends by itself. */
export function endlessFilter(language: Language): JsonObject {
  return scriptableFilter(language, ENDLESS[language]);
}

/** Seven lines that differ from route to route. */
const LINES: Readonly<Record<Language, (at: number) => readonly string[]>> = {
  groovy: (at) => [
    `def name = 'X-Client-${at}'`,
    "def agent = request.headers['User-Agent']?.firstValue ?: 'none'",
    'if (agent.length() > 200) return new Response(Status.BAD_REQUEST)',
    'request.headers[name] = agent.toLowerCase()',
    'next.handle(context, request).thenOnResult { response ->',
    `  response.headers['X-Route'] = 'route-${at}'`,
    '}',
  ],
  javascript: (at) => [
    `const name = 'X-Client-${at}'`,
    "const agent = request.headers.get('User-Agent') ?? 'none'",
    'if (agent.length > 200) return new Response(400)',
    'request.headers.set(name, agent.toLowerCase())',
    'const response = await next(request)',
    `response.headers.set('X-Route', 'route-${at}')`,
    'return response',
  ],
};

/** A filter with a script of its own, or one of the gateway that has as much text. */
export function ownFilter(language: Language | 'none', at: number): JsonObject {
  if (language !== 'none') return scriptableFilter(language, LINES[language](at));
  const add = { [`X-Client-${at}`]: [...LINES.groovy(at)] };
  return { type: 'HeaderFilter', config: { messageType: 'REQUEST', add } };
}
