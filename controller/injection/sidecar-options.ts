/** The options of `gatewarden dataplane` that every sidecar has. */
export const SIDECAR_OPTIONS = [
  '--sidecar',
  '--controller',
  '--ca-env',
  '--app-port',
  '--port',
  '--admin',
  '--zone',
  '--units',
  '--log-level',
  '--access-log',
  '--drain-timeout',
];
