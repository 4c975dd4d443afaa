import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** What a node needs of the machine and does not bring itself: the program, and the Debian package that has it. */
const PROGRAMS = {
  'apt-get': 'apt',
  dpkg: 'dpkg',
  go: 'golang-go',
  ip: 'iproute2',
  mount: 'mount',
  nsenter: 'util-linux',
  unshare: 'util-linux',
} as const;

/** Everything that keeps a node from running here, each as a sentence. */
export async function missingPrerequisites(): Promise<readonly string[]> {
  const missing: string[] = [];
  if (process.platform !== 'linux') return ['It needs Linux.'];
  if (process.getuid?.() !== 0) missing.push('It needs root, for namespaces, mounts and cgroups of its own.');
  for (const [program, debian] of Object.entries(PROGRAMS)) {
    const isThere = await promisify(execFile)('sh', ['-c', 'command -v "$0"', program]).then(
      () => true,
      () => false,
    );
    if (!isThere) missing.push(`It needs the program ${program} (Debian's package ${debian}).`);
  }
  if (!readFileSync('/proc/filesystems', 'utf8').includes('\toverlay\n')) {
    missing.push('It needs the file system overlay in the kernel (modprobe overlay).');
  }
  if (!existsSync('/sys/fs/cgroup')) missing.push('It needs cgroups at /sys/fs/cgroup.');
  const isUnshared = await promisify(execFile)('unshare', ['--mount', '--net', '--pid', '--fork', 'true']).then(
    () => true,
    () => false,
  );
  if (!isUnshared) missing.push('It needs to make namespaces, which this machine does not let it.');
  return missing;
}
