import { type ImageEntry, textFile } from './image-entry.ts';

/** Who the program is in a container unless it is told otherwise. */
export const USER = 65_532;

/** Environment of the program in a container. */
export const ENVIRONMENT = {
  PATH: '/usr/local/bin',
  HOME: '/tmp',
  // Its default value, which the C library otherwise raises while the program starts, and then keeps 5 MB of free memory.
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/** The few files that programs expect of any system. */
export function systemFiles(): readonly ImageEntry[] {
  return [
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
    { kind: 'link', path: 'etc/os-release', target: '../usr/lib/os-release' },
    textFile('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    textFile(
      'etc/passwd',
      `root:x:0:0:root:/:/nonexistent\ngatewarden:x:${USER}:${USER}:gatewarden:/tmp:/nonexistent\n`,
    ),
    textFile('etc/group', `root:x:0:\ngatewarden:x:${USER}:\n`),
  ];
}
