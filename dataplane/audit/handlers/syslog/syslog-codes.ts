/** Facilities of RFC 5424 by their number. */
export const FACILITIES = [
  'KERN',
  'USER',
  'MAIL',
  'DAEMON',
  'AUTH',
  'SYSLOG',
  'LPR',
  'NEWS',
  'UUCP',
  'CRON',
  'AUTHPRIV',
  'FTP',
  'NTP',
  'LOGAUDIT',
  'LOGALERT',
  'CLOCKD',
  'LOCAL0',
  'LOCAL1',
  'LOCAL2',
  'LOCAL3',
  'LOCAL4',
  'LOCAL5',
  'LOCAL6',
  'LOCAL7',
] as const;

/** Severities of RFC 5424 by their number. */
export const SEVERITIES = [
  'EMERGENCY',
  'ALERT',
  'CRITICAL',
  'ERROR',
  'WARNING',
  'NOTICE',
  'INFORMATIONAL',
  'DEBUG',
] as const;
