import type { ByteRange } from './blob-store.ts'

/** For stores: throws RangeError unless all of the range is within an object of this length. */
export function checkRange({ start, end }: ByteRange, sizeBytes: number): void {
  if (start < 0 || end < start || end >= sizeBytes) {
    throw new RangeError(`bytes ${start} to ${end} are not within ${sizeBytes}`)
  }
}
