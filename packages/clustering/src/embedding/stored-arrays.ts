type Numbers = Int8Array | Uint16Array | Float32Array

const MAGIC = 'SPA1'
const HEADER_LENGTH_BYTES = 4

/**
 * A stored record of numbers:
 *
 *     0 – 3    SPA1; another layout gets another digit
 *     4 – 7    uint32 bytes of the header
 *     then     the header as JSON, with `lengths`: the bytes of each array
 *     then     the arrays
 *
 * All numbers are least significant byte first, as in the memory of every machine that Node 24 runs on.
 */
export function packArrays(header: object, arrays: readonly Numbers[]): Uint8Array {
  const bytes = arrays.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength))
  const head = Buffer.from(JSON.stringify({ ...header, lengths: bytes.map(({ length }) => length) }))
  const length = Buffer.alloc(HEADER_LENGTH_BYTES)
  length.writeUInt32LE(head.length)
  return Buffer.concat([Buffer.from(MAGIC), length, head, ...bytes])
}

/** Returns null for bytes of another layout. Throws when `packArrays` did not write them. */
export function unpackArrays(
  stored: Uint8Array,
): { readonly header: unknown; readonly arrays: readonly ArrayBuffer[] } | null {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return null
  const start = MAGIC.length + HEADER_LENGTH_BYTES
  let at = start + bytes.readUInt32LE(MAGIC.length)
  const header = JSON.parse(bytes.toString('utf8', start, at)) as { readonly lengths: readonly number[] }
  // Copies, because an array of numbers begins at a multiple of their size.
  const arrays = header.lengths.map((length) => Uint8Array.from(bytes.subarray(at, (at += length))).buffer)
  if (at !== bytes.length) throw new Error('stored numbers have another length')
  return { header, arrays }
}
