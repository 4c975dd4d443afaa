import type { MessagePort } from 'node:worker_threads';
import type { DryRun } from '../../contract/shown/dry-run.ts';
import { errorStack, errorText } from '../../platform/error-text.ts';
import type { Finished } from '../engine/client/finished.ts';
import { counters, countInto } from '../engine/wire/counters.ts';
import { setFaultHandler } from '../engine/wire/turn.ts';
import type { TakeMemory } from '../heap/shared-memory.ts';
import { type AccessLines, AccessLog, type LineWriter } from '../log/access-log.ts';
import { JsonAccessLines } from '../log/json-access-lines.ts';
import { appendTo } from '../log/log-destination.ts';
import { TextAccessLines } from '../log/text-access-lines.ts';
import { giveBackAtRest, servesTraffic } from '../supervisor/spare-memory.ts';
import { createTraffic } from './create-traffic.ts';
import { ConnectorFailure, UnitListeners } from './unit-listeners.ts';
import type { UnitOptions, UnitOrder, UnitReport } from './unit-messages.ts';
import type { UnitTraffic } from './unit-traffic.ts';
import { UnitUpdates } from './unit-updates.ts';

/**
 * Runs one event loop of a plane: its own listeners on the shared ports, its own objects, its own log lines. It closes the
 * port when it has ended.
 *
 * @param memory what its objects share with those of other units
 */
export async function runUnit(options: UnitOptions, port: MessagePort, memory: TakeMemory): Promise<void> {
  const report = (message: UnitReport): void => port.postMessage(message);
  const fault = (error: unknown): void => report({ kind: 'fault', message: errorStack(error) });
  countInto(options.counters);
  // a promise that a filter forgot belongs to one request; the connections of all others must not end with it
  process.on('unhandledRejection', fault);
  let isEnding = false;
  const end = (): void => {
    process.off('unhandledRejection', fault);
    port.close();
  };
  setFaultHandler((wire, error) => {
    fault(error);
    wire.owner.failed(); // what threw cannot be trusted to go on
  });
  const log = options.log === 'off' ? null : new AccessLog(lineWriter(options.log, port, fault), accessLines(options));
  let traffic: UnitTraffic;
  let listeners: UnitListeners;
  try {
    traffic = await createTraffic(options, port, memory);
    const told = log === null ? {} : { onFinished: (finished: Finished) => log.record(finished) };
    listeners = new UnitListeners(options, traffic, { ...told, onFault: fault });
  } catch (error) {
    report({ kind: 'failed', connector: null, message: errorText(error) });
    end();
    return;
  }
  if (options.admin !== null) traffic.listensAt(options.admin);
  const updates = new UnitUpdates(traffic, { report, fault });
  const listening = listeners.listen();
  port.on('message', async (order: UnitOrder) => {
    if (order.kind === 'update') {
      updates.add(order);
      return;
    }
    if (order.kind === 'forbid') {
      traffic.forbid(order.places);
      return;
    }
    if (order.kind === 'ended') {
      traffic.ended(order.entries);
      return;
    }
    if (order.kind === 'refresh' || order.kind === 'told') {
      traffic.refresh(order);
      return;
    }
    if (order.kind === 'dry-run') {
      report({ kind: 'dry-run', number: order.number, result: await dryRunOf(traffic, order) });
      return;
    }
    if (order.kind === 'dismiss') {
      listeners.dismiss();
      return;
    }
    await updates.settled;
    await listening.catch(() => {}); // a port that opened after the drain would stay open
    const cut = await listeners.drain(order.timeout);
    if (isEnding) return; // a shorter drain was ordered meanwhile
    isEnding = true;
    traffic.close();
    await log?.close();
    report({ kind: 'drained', cut, droppedLines: log?.dropped ?? 0 });
    end();
  });
  try {
    const endpoints = await listening;
    for (const endpoint of endpoints) traffic.listensAt(endpoint);
    report({ kind: 'listening', endpoints, problems: traffic.problems });
    giveBackAtRest(servesTraffic(counters.block));
  } catch (error) {
    const connector = error instanceof ConnectorFailure ? error.connector : null;
    traffic.close();
    report({ kind: 'failed', connector, message: errorText(error) });
    end();
  }
}

/** The result of a dry run, or why there is none. */
async function dryRunOf(
  { dryRun }: UnitTraffic,
  { request, shownRoute }: Extract<UnitOrder, { kind: 'dry-run' }>,
): Promise<DryRun | string> {
  if (dryRun === undefined) return 'this data plane has no configuration';
  return dryRun(request, shownRoute).catch(errorText);
}

function accessLines({ accessLogStyle: { isText, isColoured }, unit }: UnitOptions): AccessLines {
  return isText ? new TextAccessLines(isColoured) : new JsonAccessLines(unit);
}

function lineWriter(log: 'hand-over' | number, port: MessagePort, fault: (error: Error) => void): LineWriter {
  if (log !== 'hand-over') return appendTo(log, fault);
  return (lines, done) => {
    port.postMessage({ kind: 'log', lines: Uint8Array.from(lines) } satisfies UnitReport);
    done();
  };
}
