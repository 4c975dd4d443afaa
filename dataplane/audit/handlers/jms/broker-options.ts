import type { AddressDraft, ConnectionDraft } from './broker-settings.ts';
import { ciphersOf, flagOption, numberOf, type OptionRule, textOption, timeOption, versionsOf } from './url-option.ts';

/** Reasons for options without effect, whatever the client. */
export const REASON = {
  consumers: 'it is about consumers, and the handler only sends',
  ownBackOff: 'the gateway connects again with its own back-off, without end, while events wait in their queue',
  ownSocket: 'sockets of the gateway do not have it',
  java: 'it is about Java',
  fixedList: 'the gateway connects only to the brokers that the URL lists',
} as const;

/** Rule for the keystores of Java's clients. */
export const KEYSTORES: OptionRule<AddressDraft> = { refused: "use 'tls' of the handler with a ClientTlsOptions" };

/** Rules for options of an address that clients have under different names. */
export const addressRule = {
  connectTimeout: timeOption<AddressDraft>((draft, value) => {
    if (value > 0) draft.connectTimeout = value;
  }),
  verifiedName: {
    ...flagOption<AddressDraft>((draft, value) => {
      draft.checksNames = value;
    }),
    insecure: 'anyone with a certificate of a trusted CA can impersonate the broker',
  },
  protocols: textOption<AddressDraft>((draft, value) => {
    draft.versions = versionsOf(value);
  }),
  cipherSuites: textOption<AddressDraft>((draft, value) => {
    draft.ciphers = ciphersOf(value);
  }),
  keepAlive: flagOption<AddressDraft>((draft, value) => {
    draft.keepAlive = value;
  }),
  noDelay: flagOption<AddressDraft>((draft, value) => {
    draft.noDelay = value;
  }),
  inactivity: timeOption<AddressDraft>((draft, value) => {
    draft.inactivity = value;
  }),
  maxFrame: textOption<AddressDraft>((draft, value) => {
    draft.maxFrame = numberOf(value);
  }),
};

/** Rules for options of a connection that clients have under different names. */
export const connectionRule = {
  userName: textOption<ConnectionDraft>((draft, value) => {
    draft.userName = value;
  }),
  password: {
    ...textOption<ConnectionDraft>((draft, value) => {
      draft.password = value;
    }),
    insecure: "the password is in clear text: use 'passwordSecretId'",
  },
  clientId: textOption<ConnectionDraft>((draft, value) => {
    draft.clientId = value;
  }),
  openTimeout: timeOption<ConnectionDraft>((draft, value) => {
    if (value > 0) draft.openTimeout = value;
  }),
  sendTimeout: timeOption<ConnectionDraft>((draft, value) => {
    draft.sendTimeout = value;
  }),
  closeTimeout: timeOption<ConnectionDraft>((draft, value) => {
    draft.closeTimeout = value;
  }),
  randomize: flagOption<ConnectionDraft>((draft, value) => {
    draft.randomize = value;
  }),
};
