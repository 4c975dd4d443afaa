import { isIPv6 } from 'node:net';
import { HOST } from '../wire/bytes.ts';

/** Whether a string may stand in a Host header: a host, and a port if there is a colon. */
export function isHost(text: string): boolean {
  for (let i = 0; i < text.length; i++)
    if (HOST[text.charCodeAt(i) & 255] === 0 || text.charCodeAt(i) > 127) return false;
  const end = text.startsWith('[') ? text.indexOf(']') + 1 : text.indexOf(':');
  if (end === 0 || (end > 0 && end < text.length && !isPort(text.slice(end)))) return false;
  if (text.startsWith('[')) return !text.includes('%') && isIPv6(text.slice(1, end - 1)); // no zone: it is ours to know
  if (text.includes('[') || text.includes(']')) return false;
  return !text.includes('%') || /^([^%]|%[0-9A-Fa-f]{2})*$/.test(text);
}

/** A colon, and a port if there is one. */
function isPort(text: string): boolean {
  return /^:\d{0,5}$/.test(text) && Number(text.slice(1)) < 65_536;
}
