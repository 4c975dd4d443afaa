import type { DescribedSchema, EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { ASKED_EXPRESSION, EVALUATED } from './asked-expression.ts';
import { ASKED_REQUEST } from './explained-request.ts';

const text = { type: 'string' };

const PROBLEMS: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    required: ['severity', 'code', 'path', 'message'],
    properties: {
      severity: { type: 'string', enum: ['error', 'warning'] },
      code: text,
      path: text,
      message: text,
      hint: text,
    },
  },
};

const EXPLANATION: JsonObject = {
  type: 'object',
  required: ['route', 'routers'],
  properties: {
    route: { type: ['string', 'null'], description: 'Id of the route whose handler gets the request; null for none.' },
    refusal: { type: ['string', 'null'], description: 'Reason why no route is asked.' },
    anotherRoute: { type: 'boolean', description: 'Set if a route takes the request that the caller may not see.' },
    unknown: {
      type: 'array',
      description: 'Routes whose version on data planes the controller does not know yet. They are not tried.',
      items: text,
    },
    takes: { type: 'boolean', description: 'Whether the route of the path takes the request.' },
    routers: {
      type: 'array',
      description: 'Routers that get the request, the outermost first, with the routes that each tries.',
      items: { type: 'object' },
    },
  },
};

/** Returns the description of a collection of routes. @param schema returns the schema of a route document */
export function routeDescription(schema: () => Promise<DescribedSchema>): EndpointDescription {
  return {
    name: 'route',
    title: 'Routes',
    description: 'Routes of a router, in the order in which they are tried.',
    schema,
    hasRevisions: true,
    actions: [
      {
        name: 'validate',
        description: 'Returns the problems of a document, and changes nothing.',
        of: ['collection', 'resource'],
        request: { type: 'object' },
        response: { type: 'object', properties: { valid: { type: 'boolean' }, problems: PROBLEMS } },
      },
      {
        name: 'explain',
        description: 'Returns which route takes a request, and the result of each condition. Nothing is sent.',
        of: ['collection', 'resource'],
        request: ASKED_REQUEST,
        response: EXPLANATION,
      },
      {
        name: 'evaluate',
        description: 'Returns the value of an expression for a request. Nothing is sent.',
        of: ['collection', 'resource'],
        request: ASKED_EXPRESSION,
        response: EVALUATED,
      },
    ],
  };
}

/** Description of the facts about a server. */
export const INFO_DESCRIPTION: EndpointDescription = {
  name: 'server-info',
  title: 'Server Info',
  description: 'Version of the server.',
  hasRevisions: false,
  schema: () => ({
    schema: {
      type: 'object',
      required: ['version', 'revision', 'branch', 'timestamp'],
      properties: { version: text, revision: text, branch: text, timestamp: { type: 'integer', format: 'int64' } },
    },
  }),
};
