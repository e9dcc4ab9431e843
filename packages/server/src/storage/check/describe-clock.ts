/** More than this is wrong: certificates, signatures and times that people compare depend on it. */
const MOST_MS = 10_000

/** `aheadMs`: how far the clock of a server is ahead of this machine's. */
export function describeClock(server: string, aheadMs: number) {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
  const detail = `${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead'}`
  if (Math.abs(aheadMs) <= MOST_MS) return { detail, problems: [] }
  return { detail, problems: [`The clock of ${server} is ${detail} of this machine's: one of them is wrong.`] }
}
