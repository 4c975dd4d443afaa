/** Why a keystore cannot be read. What it says is nothing of the content and nothing of a password. */
export class KeystoreProblem extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'KeystoreProblem';
  }
}

/** Problem of a malformed part of a keystore. */
export function damaged(part: string): KeystoreProblem {
  return new KeystoreProblem(`it is damaged: ${part}`);
}

/** A password, or what it opens, is not the right one. */
export class WrongPassword extends Error {
  constructor() {
    super('the password is wrong or it is damaged');
    this.name = 'WrongPassword';
  }
}
