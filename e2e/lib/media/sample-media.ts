import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** A picture with a colour gradient. */
export function pngImage(width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + 3 * width)
    for (let x = 0; x < width; x++) row.set([(255 * x) / width, (255 * y) / height, 128], 1 + 3 * x)
    return row
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.concat(rows))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A tone with one channel of 16 bits. */
export function wavRecording(seconds: number): Buffer {
  const samplesPerSecond = 44_100
  const samples = Buffer.alloc(2 * samplesPerSecond * seconds)
  for (let n = 0; n < samples.length / 2; n++) {
    samples.writeInt16LE(Math.round(9000 * Math.sin((2 * Math.PI * 440 * n) / samplesPerSecond)), 2 * n)
  }
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(samplesPerSecond, 24)
  header.writeUInt32LE(2 * samplesPerSecond, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

/** A file with the first and last bytes of a robot recording. */
export function mcapLog(bytes: number): Buffer {
  const magic = Buffer.from('\x89MCAP0\r\n', 'latin1')
  return Buffer.concat([magic, randomBytes(bytes - 2 * magic.length), magic])
}

export function textLog(lines: number): string {
  return Array.from(
    { length: lines },
    (_, n) => `12:00:${String(n % 60).padStart(2, '0')} line ${n} <b>not bold</b>\n`,
  ).join('')
}
