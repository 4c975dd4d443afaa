/** Run by a test as a process: tries to take the lock of each directory that it reads, and prints whether it has it. */
import { createInterface } from 'node:readline';
import { SpoolLock } from '../../../dataplane/audit/spool/spool-lock.ts';

if (process.argv[2] === 'take') {
  createInterface({ input: process.stdin }).on('line', (directory) => {
    try {
      new SpoolLock(directory);
      process.stdout.write(`taken ${directory}\n`);
    } catch {
      process.stdout.write(`refused ${directory}\n`);
    }
  });
  process.stdout.write('ready\n');
}
