import { fileTypeFromBuffer } from 'file-type'
import { imageDimensionsFromData } from 'image-dimensions'
import { normalType } from './media-types.ts'
import { sniffText } from './sniff-text.ts'

/** How much of the beginning is looked at: past the embedded thumbnails and colour profiles that stand before the size of most photographs. */
export const HEAD_BYTES = 64 * 1024

const UNKNOWN = 'application/octet-stream'

/** The type of bytes by their beginning, at most HEAD_BYTES. Text goes first: magic numbers of two letters are found at the beginning of any log. */
export async function sniffType(head: Buffer, sizeBytes: number): Promise<string> {
  const text = sniffText(head, head.length === sizeBytes)
  if (text !== null) return text
  const found = await fileTypeFromBuffer(head)
  return found === undefined ? UNKNOWN : normalType(found.mime)
}

/** Pixels of an image of a usual format whose size stands in its beginning, as stored: not turned by its orientation. */
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
