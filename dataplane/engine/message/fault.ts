import { CircuitOpen } from './circuit-open.ts';
import {
  EntityBroken,
  EntityTooLarge,
  EntityUndecodable,
  HeldContentFull,
  TemporaryFilesFull,
} from './entity-fault.ts';
import { type Response, refusalResponse } from './response.ts';
import { SessionFault } from './session-fault.ts';

const thrown = new WeakSet<Response>();

/** Whether an answer stands for something that was thrown: an answer that says that a backend failed does not. */
export function isThrown(response: Response): boolean {
  return response.refusal !== null && thrown.has(response);
}

/** The answer for something that was thrown in a chain. Of it only a limit that was met reaches the client; `report` hears of surprises. */
export function faultResponse(error: unknown, report: (error: unknown) => void): Response {
  const response = responseFor(error, report);
  thrown.add(response);
  return response;
}

function responseFor(error: unknown, report: (error: unknown) => void): Response {
  if (error instanceof EntityTooLarge) {
    return refusalResponse(error.ofResponse ? 'backend-body-too-large' : 'body-too-large', error, error.message);
  }
  if (error instanceof EntityUndecodable) {
    return refusalResponse(error.ofResponse ? 'backend-body-undecodable' : 'body-undecodable', error, error.message);
  }
  if (error instanceof TemporaryFilesFull) return refusalResponse('storage-full', error);
  if (error instanceof HeldContentFull) return refusalResponse('memory-full', error);
  if (error instanceof EntityBroken) return refusalResponse(error.ofResponse ? 'backend-closed' : 'incomplete', error);
  if (error instanceof CircuitOpen) return refusalResponse('circuit-open', error); // the breaker itself told of it once
  if (error instanceof SessionFault) return refusalResponse(error.refusal, error); // its manager logged it
  report(error);
  return refusalResponse('internal', error);
}
