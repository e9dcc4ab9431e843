import type { CheckResult } from '../../operation/check-result.ts'

/** `held`: rows with name, holder and end, milliseconds. */
export function describeLeases(held: readonly Readonly<Record<string, unknown>>[], now: number): CheckResult {
  const detail = held.map(
    ({ name, holder, until }) => `${name}: ${holder}, ${Math.round((Number(until) - now) / 1000)} s left`,
  )
  return { part: 'leases', detail: detail.join('; ') || 'nobody holds one', problems: [] }
}
