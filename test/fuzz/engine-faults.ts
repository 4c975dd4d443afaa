import { setFaultHandler } from '../../dataplane/engine/wire/turn.ts';

const faults: string[] = [];

/** Collects what the engine throws outside any handler, and goes on as a unit of the data plane would. */
export function watchEngine(): void {
  setFaultHandler((wire, fault) => {
    faults.push(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
    wire.owner.failed();
  });
}

export function engineFaulted(): boolean {
  return faults.length > 0;
}

export function takeEngineFaults(): string[] {
  return faults.splice(0);
}
