/**
 * Buckets of one window. Both edges of the window are edges of short buckets. Bucket `n` of a size has the times
 * `(n size, (n + 1) size]`, milliseconds since 1970.
 */
export interface BucketSizes {
  readonly shortMs: number
  /** A power of two times `shortMs`. */
  readonly longMs: number
}

export interface BucketPlace {
  readonly sizeMs: number
  readonly bucket: number
}

/** A window of 30 days at times 12 s apart has about 1,600; only windows of odd lengths have very many. */
const MOST_BUCKETS = 8192

/** Sizes for a window that ends at multiples of `intervalMs`; null when it would have too many buckets. */
export function bucketSizes(windowMs: number, intervalMs: number): BucketSizes | null {
  const shortMs = commonDivisor(windowMs, intervalMs)
  const ratio = 2 ** Math.floor(Math.log2(Math.sqrt(windowMs / shortMs)))
  const longMs = ratio * shortMs
  return windowMs / longMs + 3 * ratio > MOST_BUCKETS ? null : { shortMs, longMs }
}

/**
 * The buckets of the window `(from, until]`, in order: long ones, with short ones before and after them. A long one
 * ends at least its own length before the window does, because most late changes are to recent rows: they then change
 * a short bucket.
 */
export function bucketsOfWindow({ shortMs, longMs }: BucketSizes, from: number, until: number): BucketPlace[] {
  const firstLong = Math.ceil(from / longMs)
  const endLong = Math.max(firstLong, Math.floor(until / longMs) - 1)
  if (firstLong === endLong) return placesBetween(shortMs, from, until)
  return [
    ...placesBetween(shortMs, from, firstLong * longMs),
    ...placesBetween(longMs, firstLong * longMs, endLong * longMs),
    ...placesBetween(shortMs, endLong * longMs, until),
  ]
}

/** All times are multiples of `sizeMs`. */
export function placesBetween(sizeMs: number, from: number, until: number): BucketPlace[] {
  const first = from / sizeMs
  return Array.from({ length: until / sizeMs - first }, (_, at) => ({ sizeMs, bucket: first + at }))
}

export function bucketAt(sizeMs: number, time: number): number {
  return Math.ceil(time / sizeMs) - 1
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}
