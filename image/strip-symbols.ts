const LITTLE_ENDIAN_64 = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);

/**
 * An ELF program without what only debuggers read. The kernel and the loader go by program headers, so everything
 * behind the last byte that one of them names can go, and the table of sections with it.
 */
export function stripSymbols(program: Buffer): Buffer {
  if (!program.subarray(0, 6).equals(LITTLE_ENDIAN_64)) throw new Error('not a 64-bit little-endian ELF program');
  const table = Number(program.readBigUInt64LE(32));
  const size = program.readUInt16LE(54);
  const count = program.readUInt16LE(56);
  let end = table + size * count;
  for (let i = 0; i < count; i++) {
    const at = table + i * size;
    end = Math.max(end, Number(program.readBigUInt64LE(at + 8) + program.readBigUInt64LE(at + 32)));
  }
  const stripped = Buffer.from(program.subarray(0, end));
  stripped.writeBigUInt64LE(0n, 40); // where the table of sections begins
  stripped.writeUInt16LE(0, 60); // how many there are
  stripped.writeUInt16LE(0, 62); // which one holds their names
  return stripped;
}
