import type { Random } from '../lib/random.ts'

const NESTED = 70

/** Most texts unchanged, some cut, corrupted, nested or in another encoding. */
export function toOddBytes(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text)
  if (random.chance(0.75)) return bytes
  switch (random.below(11)) {
    case 0:
      return bytes.subarray(0, random.below(bytes.length + 1))
    case 1:
      return bytes.subarray(random.below(bytes.length + 1))
    case 2:
      return replaceByte(random, bytes, random.below(256))
    case 3:
      return replaceByte(random, bytes, random.pick([0x00, 0x22, 0x5c, 0x7b, 0x7d, 0xff, 0xc0, 0xed]))
    case 4:
      return insert(random, bytes, Buffer.from(random.pick(['\0', '"', '\\', '{', ']', ',', '\\u', '//', 'NaN'])))
    case 5:
      // An overlong encoding, a surrogate in UTF-8, a value above Unicode, a lone continuation byte.
      return insert(random, bytes, Buffer.from(random.pick(['c0af', 'eda080', 'f4908080', '80', 'f0288cbc']), 'hex'))
    case 6:
      return Buffer.concat([Buffer.from('efbbbf', 'hex'), bytes])
    case 7:
      return random.chance(0.5) ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'latin1')
    case 8:
      return Buffer.concat([bytes, random.chance(0.5) ? bytes : Buffer.from(random.pick(['x', '{}', ' ', ',']))])
    case 9:
      return Buffer.from(`{"name":"deep","metadata":{"a":${'['.repeat(NESTED)}${']'.repeat(NESTED)}}}`)
    default:
      return Buffer.from(
        random.pick(['', ' ', 'null', '[]', '"text"', '1', '{', '[{}]', '{}', 'undefined', '{"name":"a",}']),
      )
  }
}

function replaceByte(random: Random, bytes: Buffer, byte: number): Buffer {
  const changed = Buffer.from(bytes)
  if (changed.length > 0) changed[random.below(changed.length)] = byte
  return changed
}

function insert(random: Random, bytes: Buffer, inserted: Buffer): Buffer {
  const at = random.below(bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)])
}
