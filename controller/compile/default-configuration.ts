import type { JsonObject } from '../../contract/document/json-value.ts';

/** Default `config.json`: the routes of the instance, and a welcome page if there are none. */
export const defaultConfiguration: JsonObject = {
  heap: [
    {
      name: '_router',
      type: 'Router',
      config: {
        defaultHandler: {
          type: 'DispatchHandler',
          config: {
            bindings: [
              {
                condition: "${request.method == 'GET' and request.uri.path == '/'}",
                handler: { type: 'WelcomeHandler' },
              },
              {
                condition: "${request.uri.path == '/'}",
                handler: {
                  type: 'StaticResponseHandler',
                  config: { status: 405, reason: 'Method Not Allowed', headers: { Allow: ['GET'] } },
                },
              },
              {
                handler: {
                  type: 'StaticResponseHandler',
                  config: {
                    status: 404,
                    reason: 'Not Found',
                    headers: { 'Content-Type': ['application/json'] },
                    entity: '{"code":404,"reason":"Not Found","message":"no route matches this request"}',
                  },
                },
              },
            ],
          },
        },
      },
    },
  ],
  handler: '_router',
};
