import { homedir } from 'node:os';

/** The home of whoever runs this; null for a user that is only a number, as in many a container. */
export function homeDirectory(): string | null {
  try {
    return homedir();
  } catch {
    return null;
  }
}
