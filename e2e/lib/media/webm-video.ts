/** Ids of the EBML and Matroska elements (RFC 8794, RFC 9559) that a video with an index needs. */
const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  codecId: 0x86,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  cues: 0x1c53bb6b,
  cuePoint: 0xbb,
  cueTime: 0xb3,
  cueTrackPositions: 0xb7,
  cueTrack: 0xf7,
  cueClusterPosition: 0xf1,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
} as const

export interface VideoOptions {
  readonly width: number
  readonly height: number
  readonly frameMs: number
}

/**
 * A WebM video of VP8 key frames, each in its own cluster with an index entry, so that each can be sought. The index is
 * first.
 */
export function webmVideo(frames: readonly Buffer[], { width, height, frameMs }: VideoOptions): Buffer {
  const header = element(
    ID.ebml,
    text(ID.docType, 'webm'),
    number(ID.docTypeVersion, 4),
    number(ID.docTypeReadVersion, 2),
  )
  const duration = Buffer.alloc(8)
  duration.writeDoubleBE(frames.length * frameMs)
  const info = element(
    ID.info,
    number(ID.timestampScale, 1_000_000),
    element(ID.duration, duration),
    text(ID.muxingApp, 'test'),
    text(ID.writingApp, 'test'),
  )
  const video = element(ID.video, number(ID.pixelWidth, width), number(ID.pixelHeight, height))
  const track = [number(ID.trackNumber, 1), number(ID.trackUid, 1), number(ID.trackType, 1), text(ID.codecId, 'V_VP8')]
  const tracks = element(ID.tracks, element(ID.trackEntry, ...track, video))
  const clusters = frames.map((frame, index) =>
    element(
      ID.cluster,
      number(ID.timestamp, index * frameMs),
      // Track 1, at the time of the cluster, a key frame.
      element(ID.simpleBlock, Buffer.from([0x81, 0, 0, 0x80]), frame),
    ),
  )
  const front = Buffer.concat([info, tracks])
  const cuesOf = (start: number): Buffer => {
    let position = start
    const points = clusters.map((cluster, index) => {
      const place = element(ID.cueTrackPositions, number(ID.cueTrack, 1), number(ID.cueClusterPosition, position))
      position += cluster.length
      return element(ID.cuePoint, number(ID.cueTime, index * frameMs), place)
    })
    return element(ID.cues, ...points)
  }
  // Numbers have a fixed width, so that the length of the index does not depend on its offsets.
  const cues = cuesOf(front.length + cuesOf(0).length)
  return Buffer.concat([header, element(ID.segment, front, cues, ...clusters)])
}

/** The VP8 key frame of a lossy WebP picture. */
export function vp8Frame(webp: Buffer): Buffer {
  const at = webp.indexOf('VP8 ', 12, 'latin1')
  if (at < 0) throw new Error('the picture is not a lossy WebP')
  const length = webp.readUInt32LE(at + 4)
  return webp.subarray(at + 8, at + 8 + length)
}

function element(id: number, ...content: readonly Buffer[]): Buffer {
  const size = content.reduce((sum, { length }) => sum + length, 0)
  const idBytes = Buffer.from(id.toString(16), 'hex')
  const sizeBytes = Buffer.alloc(8)
  sizeBytes.writeBigUInt64BE(BigInt(size) | (1n << 56n))
  return Buffer.concat([idBytes, sizeBytes, ...content])
}

function number(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return element(id, bytes)
}

function text(id: number, value: string): Buffer {
  return element(id, Buffer.from(value, 'latin1'))
}
