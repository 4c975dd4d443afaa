import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';
import { EvaluationError } from '../../contract/expression/value.ts';
import { pathText } from '../../contract/problem.ts';
import { choice, flag, text } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { isNeverTrue, runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { PacedWarning } from '../../platform/paced-warning.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { mapResponse } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { defineFilter } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { jwtTemplate, templateText } from './jwt/jwt-template.ts';

/** Publishes an audit event of a custom topic. */
export const auditFilter = defineFilter({
  type: 'AuditFilter',
  readsLate: true,
  summary:
    'Publishes an event of a custom topic of an audit service, such as a payment or a change of consent. The fields ' +
    'are expressions. The service adds `_id`, and `timestamp` and `transactionId` where the event has none, and ' +
    'compares the event with the schema of the topic. A rejected event is logged with the path of the error, and the ' +
    'request goes on unless `required` is true. While a handler of the service with `REFUSE_TRAFFIC` is full, ' +
    'requests are rejected with 503 (`audit-unavailable`) before they are passed on. See [audit](../audit.md).',
  config: z.strictObject({
    auditService: ref('auditService').describe('Service that gets the event.'),
    topic: text().describe('Custom topic of the service.'),
    event: jwtTemplate().describe(
      'Fields of the event: a map of expressions, with lists and maps inside, or one expression that evaluates to a map.',
    ),
    condition: runtimeFlag().optional().describe('Condition of the event; by default it is always published.'),
    messageType: choice(['REQUEST', 'RESPONSE'])
      .default('RESPONSE')
      .describe('When the event is published: before the request is passed on, or when the response has come back.'),
    required: flag()
      .default(false)
      .describe('Whether requests fail with 500 (`audit-event`) if their event is rejected or cannot be evaluated.'),
  }),
  examples: [
    {
      title: 'Record payments that the application accepted',
      config: {
        auditService: 'AuditService',
        topic: 'payments',
        condition: "${request.method == 'POST' and response.status.successful}",
        event: {
          eventName: 'PAYMENT',
          userId: '${contexts.oauth2.accessToken.info.sub}',
          payment: { path: '${request.uri.path}', status: '${response.status.code}' },
        },
      },
    },
  ],
  remarks({ condition }) {
    if (condition === undefined || !isNeverTrue(condition)) return [];
    return [{ at: ['condition'], code: 'no-effect', message: 'is never true: no event is published' }];
  },
  create({ auditService, topic, event, condition, messageType, required }, parts) {
    const service = parts.resolve(auditService);
    const denied = denials(parts, ['audit-event', 'audit-unavailable']);
    const rejected = new PacedWarning(parts.log, 'audit event rejected', { most: 1 });

    function isMeant(exchange: Exchange, response: Response | null): boolean {
      return condition === undefined || condition.read(exchange, response) === true;
    }

    /** Publishes the event. @returns whether the exchange may go on */
    function publish(exchange: Exchange, response: Response | null): boolean {
      if (!isMeant(exchange, response)) return true;
      const fault = faultOf(exchange, response);
      if (fault === null) return true;
      rejected.give({ topic, reason: fault, transactionId: exchange.transactionId });
      return !required;
    }

    function faultOf(exchange: Exchange, response: Response | null): string | null {
      let fields: JsonObject;
      try {
        const value: unknown = JSON.parse(templateText(event, exchange, response));
        if (!isJsonObject(value as JsonObject)) return 'the event is not a map';
        fields = value as JsonObject;
      } catch (error) {
        if (!(error instanceof EvaluationError)) throw error;
        return `the event cannot be evaluated: ${error.message}`;
      }
      const problems = service.publish(topic, fields, exchange);
      if (problems.length === 0) return null;
      return problems
        .map(({ path, message }) => (path.length === 0 ? message : `${pathText(path)}: ${message}`))
        .join('; ');
    }

    if (messageType === 'REQUEST') {
      return function recordRequest(exchange, next) {
        if (service.refusesTraffic && isMeant(exchange, null)) return denied.refuse(exchange, 'audit-unavailable');
        return publish(exchange, null) ? next(exchange) : denied.refuse(exchange, 'audit-event');
      };
    }
    const recordAnswer = (response: Response, exchange: Exchange): Response => {
      if (publish(exchange, response)) return response;
      response.abandon();
      return denied.answer(exchange, 'audit-event');
    };
    return function recordResponse(exchange, next) {
      // before the request is passed on, although the condition may be false then: later it could not be refused
      if (service.refusesTraffic) return denied.refuse(exchange, 'audit-unavailable');
      return mapResponse(next(exchange), exchange, recordAnswer);
    };
  },
});
