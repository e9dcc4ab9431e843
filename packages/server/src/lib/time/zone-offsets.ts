const MINUTE_MS = 60_000
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS
/** A century by weeks. Over a longer time, some changes of the clocks may be missed. */
const MOST_SAMPLES = 5200

/** How many milliseconds the clocks of a zone are ahead of UTC from a time on, milliseconds since 1970 UTC. */
export interface ZoneOffset {
  readonly from: number
  readonly aheadMs: number
}

/**
 * The offsets of an IANA zone between two times, in order, to the minute; the first one is from always on. Null if
 * there is no such zone.
 */
export function zoneOffsets(zone: string, start: number, end: number): readonly ZoneOffset[] | null {
  const aheadAt = aheadOf(zone)
  if (aheadAt === null) return null
  const step = Math.max(WEEK_MS, (end - start) / MOST_SAMPLES)
  const offsets = [{ from: -Infinity, aheadMs: aheadAt(start) }]
  for (let before = start; before < end; before += step) {
    const aheadMs = aheadAt(before + step)
    if (aheadMs === offsets.at(-1)?.aheadMs) continue
    let [low, high] = [Math.floor(before / MINUTE_MS), Math.ceil((before + step) / MINUTE_MS)]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (aheadAt(middle * MINUTE_MS) === aheadMs) high = middle
      else low = middle
    }
    offsets.push({ from: high * MINUTE_MS, aheadMs })
  }
  return offsets
}

function aheadOf(zone: string): ((time: number) => number) | null {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
  return (time) => {
    // `GMT` or `GMT-07:00`.
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(format.format(time)) ?? []
    const ahead = 60 * Number(hours ?? 0) + Number(minutes ?? 0)
    return (sign === '-' ? -ahead : ahead) * MINUTE_MS
  }
}
