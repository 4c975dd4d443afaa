/** A body was longer than the reader allows. The boundary answers 413 for a request, 502 for a response. */
export class EntityTooLarge extends Error {
  readonly limit: number;
  readonly ofResponse: boolean;
  /** `setting` says where the limit comes from, or is empty. */
  constructor(limit: number, ofResponse: boolean, setting: string) {
    super(`the body is longer than ${limit} bytes${setting === '' ? '' : ` (${setting})`}`);
    this.name = 'EntityTooLarge';
    this.limit = limit;
    this.ofResponse = ofResponse;
  }
}

/** A body broke off before its end. */
export class EntityBroken extends Error {
  readonly ofResponse: boolean;
  constructor(ofResponse: boolean) {
    super('the body ended early');
    this.name = 'EntityBroken';
    this.ofResponse = ofResponse;
  }
}

/** There is no memory for a body, because the bodies of other messages take it. */
export class HeldContentFull extends Error {
  readonly ofResponse: boolean;
  constructor(ofResponse: boolean) {
    super('the memory for bodies is full (heldBytes)');
    this.name = 'HeldContentFull';
    this.ofResponse = ofResponse;
  }
}

/** There is no room for a body in the temporary files of the plane. */
export class TemporaryFilesFull extends Error {
  constructor(limit: number) {
    super(`the temporary files of the gateway are full: at most ${limit} bytes (temporaryFileBytes)`);
    this.name = 'TemporaryFilesFull';
  }
}

/** A body cannot be read in the coding or the charset that its headers name. 415 for a request, 502 for a response. */
export class EntityUndecodable extends Error {
  readonly ofResponse: boolean;
  constructor(reason: string, ofResponse: boolean) {
    super(`the body cannot be decoded: ${reason}`);
    this.name = 'EntityUndecodable';
    this.ofResponse = ofResponse;
  }
}
