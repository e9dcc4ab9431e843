import { formatClock, formatCount, formatMegabytes, perSecond } from './format-amounts.ts'

export interface ProgressSnapshot {
  /** Since the import began. */
  readonly elapsedMs: number
  readonly lines: number
  readonly refused: number
  readonly bytes: number
  /** Of the whole input; null when it is not known (a pipe). */
  readonly totalBytes: number | null
  /** The progress some seconds before: the difference gives the rates. */
  readonly before: { readonly elapsedMs: number; readonly lines: number; readonly bytes: number }
  readonly trouble: string | null
}

const LONGEST_BAR = 24
const SHORTEST_BAR = 3

/**
 * One line of progress, at most `width` characters: with a bar and the remaining time when the size of the input is
 * known.
 */
export function renderProgress(snapshot: ProgressSnapshot, width: number): string {
  const { lines, bytes, totalBytes, elapsedMs, before, refused, trouble } = snapshot
  const sinceMs = elapsedMs - before.elapsedMs
  const bytesPerSecond = perSecond(bytes - before.bytes, sinceMs)
  const parts = [
    `${formatCount(lines)} lines`,
    totalBytes === null ? formatMegabytes(bytes) : `${formatMegabytes(bytes)} of ${formatMegabytes(totalBytes)}`,
    `${formatCount(perSecond(lines - before.lines, sinceMs))} traces/s`,
    `${formatMegabytes(bytesPerSecond)}/s`,
  ]
  if (totalBytes !== null && bytesPerSecond > 0) {
    parts.push(`ETA ${formatClock((Math.max(0, totalBytes - bytes) * 1000) / bytesPerSecond)}`)
  }
  if (refused > 0) parts.push(`${formatCount(refused)} refused`)
  if (trouble !== null) parts.push(`trying again: ${trouble}`)
  const text = parts.join('  ')
  if (totalBytes === null || totalBytes === 0) return text.slice(0, width)
  // The bar is dropped before the numbers are.
  const barWidth = Math.min(LONGEST_BAR, width - text.length - '[] 100%  '.length)
  return `${renderBar(bytes / totalBytes, barWidth)}${text}`.slice(0, width)
}

function renderBar(share: number, width: number): string {
  if (width < SHORTEST_BAR) return ''
  const bounded = Math.min(1, share)
  const filled = Math.floor(bounded * width)
  const percent = `${Math.floor(bounded * 100)}%`.padStart(4)
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${percent}  `
}
