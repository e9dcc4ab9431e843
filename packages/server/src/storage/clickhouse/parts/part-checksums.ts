import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere } from '../../files.ts'

/** The files of a part with their original sizes, bytes, as listed in its `checksums.txt`. */
export type PartFiles = ReadonlyMap<string, number>

const HEADER = Buffer.from('checksums format version: 4\n')
/** Layout of a compressed block's header: checksum, method, compressed size including these nine bytes, size. */
const AT_METHOD = 16
const BLOCK_HEADER_BYTES = 25
const AT_SIZE = 21
const METHOD = { none: 0x02, lz4: 0x82 } as const
const HASH_BYTES = 16

/**
 * Reads the list that the engine writes last into a part and verifies on loading. Null when the file is missing: the
 * engine makes a new one only when it loads or checks the part. Throws when it is damaged or of a format that this
 * engine does not write.
 */
export async function readPartChecksums(folder: string): Promise<PartFiles | null> {
  const path = join(folder, 'checksums.txt')
  const bytes = await ifThere(readFile(path), null)
  if (bytes === null) return null
  try {
    return parseChecksums(bytes)
  } catch (error) {
    throw new Error(`${path} cannot be read`, { cause: error })
  }
}

function parseChecksums(file: Buffer): PartFiles {
  if (!file.subarray(0, HEADER.length).equals(HEADER)) throw new Error('unknown format')
  const list = new Reader(unpack(file.subarray(HEADER.length)))
  const files = new Map<string, number>()
  for (let count = list.varint(); count > 0; count--) {
    const name = list.bytes(list.varint()).toString()
    files.set(name, list.varint())
    list.bytes(HASH_BYTES)
    const isCompressed = list.bytes(1)[0] === 1
    if (!isCompressed) continue
    list.varint()
    list.bytes(HASH_BYTES)
  }
  return files
}

function unpack(block: Buffer): Buffer {
  if (block.length < BLOCK_HEADER_BYTES) throw new Error('too short')
  const size = block.readUInt32LE(AT_SIZE)
  const packed = block.subarray(BLOCK_HEADER_BYTES)
  switch (block[AT_METHOD]) {
    case METHOD.none:
      return packed.subarray(0, size)
    case METHOD.lz4:
      return unpackLz4(packed, size)
    default:
      throw new Error(`unknown compression ${block[AT_METHOD]}`)
  }
}

/**
 * One LZ4 block (github.com/lz4/lz4, doc/lz4_Block_format.md): literals, then a copy of the bytes `offset` bytes back,
 * repeated.
 */
function unpackLz4(packed: Buffer, size: number): Buffer {
  const reader = new Reader(packed)
  const out = Buffer.alloc(size)
  let at = 0
  for (;;) {
    const token = reader.byte()
    const literals = reader.bytes(reader.length(token >> 4))
    if (at + literals.length > size) throw new Error('more bytes than announced')
    literals.copy(out, at)
    at += literals.length
    if (at === size) return out
    const offset = reader.byte() | (reader.byte() << 8)
    const end = at + reader.length(token & 15) + 4
    if (offset === 0 || offset > at || end > size) throw new Error('a copy from before the start')
    for (; at < end; at++) out[at] = out[at - offset] as number
  }
}

/** Throws at the end of the bytes. */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  byte(): number {
    return this.bytes(1)[0] as number
  }

  bytes(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#bytes.length) throw new Error('cut off')
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  /** Seven bits a byte, the lowest first. */
  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte()
      value += (byte & 127) * scale
      if (byte < 128) return value
      if (scale > 2 ** 49) throw new Error('a number that is too large')
    }
  }

  /** An LZ4 length: four bits, then bytes that are added while they are 255. */
  length(fourBits: number): number {
    let length = fourBits
    if (fourBits < 15) return length
    for (;;) {
      const byte = this.byte()
      length += byte
      if (byte < 255) return length
    }
  }
}
