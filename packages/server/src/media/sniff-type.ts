import { fileTypeFromBuffer } from 'file-type'
import { imageDimensionsFromData } from 'image-dimensions'
import { normalType } from './media-types.ts'
import { sniffText } from './sniff-text.ts'

/**
 * How many bytes are examined: enough to pass the embedded thumbnails and colour profiles before the size of most
 * photographs.
 */
export const HEAD_BYTES = 64 * 1024

const UNKNOWN = 'application/octet-stream'

/** Beginnings of formats that file-type does not know, or recognises only by bytes beyond the head. */
const BEGINNINGS: readonly (readonly [pattern: RegExp, type: string])[] = [
  // The directory of an uncompressed picture comes after the picture.
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff'],
  // The form of WAV that may grow beyond 4 GiB.
  [/^RF64[^]{4}WAVE/, 'audio/wav'],
]
const LONGEST_BEGINNING = 12

/**
 * The type of bytes by their beginning, at most HEAD_BYTES. Text is checked first, because magic numbers of two letters
 * occur at the beginning of any log.
 */
export async function sniffType(head: Buffer, sizeBytes: number): Promise<string> {
  const text = sniffText(head, head.length === sizeBytes)
  if (text !== null) return text
  const found = await fileTypeFromBuffer(head)
  return found === undefined ? typeByBeginning(head) : normalType(found.mime)
}

function typeByBeginning(head: Buffer): string {
  const beginning = head.toString('latin1', 0, LONGEST_BEGINNING)
  return BEGINNINGS.find(([pattern]) => pattern.test(beginning))?.[1] ?? UNKNOWN
}

/** Pixels of an image of a common format whose size is in its beginning, as stored: not rotated by its orientation. */
export function sniffDimensions(
  head: Buffer,
  contentType: string,
): { readonly width: number; readonly height: number } | null {
  if (!contentType.startsWith('image/') || contentType === 'image/svg+xml') return null
  const found = imageDimensionsFromData(head)
  if (found === undefined) return null
  const { width, height } = found
  return isPixels(width) && isPixels(height) ? { width, height } : null
}

function isPixels(count: number): boolean {
  return Number.isSafeInteger(count) && count > 0
}
