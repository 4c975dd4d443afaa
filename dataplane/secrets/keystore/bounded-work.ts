import { KeystoreProblem } from './keystore-problem.ts';

/** How many rounds of hashing one keystore may ask for, all its parts together: fifty keys as JCEKS protects them. */
export const MOST_ROUNDS = 20_000_000;
/** How many of them one part may ask for, which is what Java allows. */
export const MOST_ROUNDS_OF_A_PART = 5_000_000;
/** How many certificates and keys one keystore may have. */
const MOST_ITEMS = 5000;
/** How many hashes are done before others get their turn, if nobody says otherwise. */
const STEPS_OF_A_TURN = 2000;

/** Work limit of reading one keystore. The author of a file decides how much work it asks for, not how much it gets. */
export class BoundedWork {
  private rounds = MOST_ROUNDS;
  private items = MOST_ITEMS;

  /** Takes rounds of hashing before they are done. @throws KeystoreProblem when there are not as many left. */
  takeRounds(count: number, times = 1): void {
    if (count < 1) throw new KeystoreProblem('an iteration count is not positive');
    if (count > MOST_ROUNDS_OF_A_PART) {
      throw new KeystoreProblem(`an iteration count is higher than ${MOST_ROUNDS_OF_A_PART}`);
    }
    this.rounds -= count * times;
    if (this.rounds < 0) {
      throw new KeystoreProblem(`its iteration counts are too high: more than ${MOST_ROUNDS} rounds of hashing`);
    }
  }

  /** Counts one certificate or key. @throws KeystoreProblem when there are too many. */
  async takeItem(): Promise<void> {
    this.items--;
    if (this.items < 0) throw new KeystoreProblem(`it has more than ${MOST_ITEMS} certificates and keys`);
    if (this.items % 50 === 0) await turn();
  }
}

/** Does something `count` times and lets others have their turn now and then. */
export async function inTurns(
  count: number,
  step: (index: number) => void,
  inOneTurn = STEPS_OF_A_TURN,
): Promise<void> {
  for (let index = 0; index < count; index++) {
    if (index > 0 && index % inOneTurn === 0) await turn();
    step(index);
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
