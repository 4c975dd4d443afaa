import type { Surroundings } from '../../../script-language.ts';
import type { Machine } from '../../runtime/machine.ts';
import type { Runtime } from '../../values/java-class.ts';

/** The environment and the system properties; only scripts of operators may read them. */
export function surroundingsOf(rt: Runtime): Surroundings {
  return (
    (rt as Machine).surroundings ??
    rt.fail('java.lang.SecurityException', 'this script may not read the environment and the system properties')
  );
}
