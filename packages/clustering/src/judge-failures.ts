import { fisherGreater } from './statistics/fisher-exact.ts'

/** `fail`: its members fail materially more often than the rest of the project. */
export type ClusterColor = 'fail' | 'ok'

export interface FailureVerdict {
  readonly color: ClusterColor
  /** Share of the members that failed, from 0 to 1. */
  readonly errorRate: number
}

/** Traces and how many of them failed. */
export interface FailureCount {
  readonly traces: number
  readonly failed: number
}

/** What makes a share of failures material: all of these at once. */
export interface FailureThresholds {
  /** Greatest p-value of Fisher's one-sided test. Of a hundred clusters that fail as the rest does, one is coloured in vain. */
  readonly significance: number
  /** Times the odds of the rest: 1 % against 2 %, 10 % against 18 %, 50 % against 67 %. With enough traces the slightest difference is significant, and nobody wants to see it. */
  readonly oddsRatio: number
  /** Share above that of the rest. */
  readonly difference: number
}

const FAILURE_THRESHOLDS: FailureThresholds = { significance: 0.01, oddsRatio: 2, difference: 0.02 }

/**
 * Judges members against the rest of the project: a cluster that makes up most of the project would hide in a comparison with all of it. The test is exact at every
 * size: three failures of three are not enough where half of the others fail, and are where one in twenty does. Without a rest there is nothing to be above.
 */
export function judgeFailures(
  members: FailureCount,
  rest: FailureCount,
  thresholds: FailureThresholds = FAILURE_THRESHOLDS,
): FailureVerdict {
  const errorRate = members.traces === 0 ? 0 : members.failed / members.traces
  return { color: isMaterial(members, rest, errorRate, thresholds) ? 'fail' : 'ok', errorRate }
}

function isMaterial(
  members: FailureCount,
  rest: FailureCount,
  errorRate: number,
  { significance, oddsRatio, difference }: FailureThresholds,
): boolean {
  if (members.traces === 0 || rest.traces === 0) return false
  if (errorRate - rest.failed / rest.traces < difference) return false
  // Multiplied out: odds of 100 % are infinite.
  const odds = members.failed * (rest.traces - rest.failed)
  const restOdds = rest.failed * (members.traces - members.failed)
  if (odds < oddsRatio * restOdds) return false
  const p = fisherGreater({ hits: members.failed, total: members.traces }, { hits: rest.failed, total: rest.traces })
  return p <= significance
}
