export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

const MEGABYTE = 1024 * 1024

export function formatMegabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}

/** `0:07`, `12:03`, `1:02:03`. */
export function formatClock(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

/** Per second, for an amount over a time that may be 0. */
export function perSecond(amount: number, elapsedMs: number): number {
  return elapsedMs <= 0 ? 0 : (amount * 1000) / elapsedMs
}
