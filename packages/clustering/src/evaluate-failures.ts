import { fisherGreater } from './statistics/fisher-exact.ts'

/** `fail`: its members fail materially more often than the rest of the project. */
export type ClusterColor = 'fail' | 'ok'

export interface FailureVerdict {
  readonly color: ClusterColor
  /** Members that could be judged, and the share of them that failed, from 0 to 1. */
  readonly judged: number
  readonly errorRate: number
}

/** Traces and how many of them failed. */
export interface FailureCount {
  readonly traces: number
  readonly failed: number
}

/** Greatest p-value of Fisher's one-sided test. Of 100 clusters that fail as often as the rest, one is coloured. */
const SIGNIFICANCE = 0.01
/**
 * Least ratio to the odds of the rest: 1 % against 2 %, 10 % against 18 %, 50 % against 67 %. With enough traces the
 * slightest difference is significant; slight differences are not coloured.
 */
const ODDS_RATIO = 2
/** Least difference to the share of the rest. */
const DIFFERENCE = 0.02

/**
 * Compares members with the rest of the project, without the members: a cluster that makes up most of the project would
 * hide in a comparison with all of it. The test is exact at every size: three failures of three are not enough where
 * half of the others fail, and are enough where one in twenty does. Without a rest, no cluster is coloured.
 */
export function evaluateFailures(members: FailureCount, rest: FailureCount): FailureVerdict {
  const errorRate = members.traces === 0 ? 0 : members.failed / members.traces
  return { color: isMaterial(members, rest, errorRate) ? 'fail' : 'ok', judged: members.traces, errorRate }
}

/** Whether a share of failures meets all three limits. */
function isMaterial(members: FailureCount, rest: FailureCount, errorRate: number): boolean {
  if (members.traces === 0 || rest.traces === 0) return false
  if (errorRate - rest.failed / rest.traces < DIFFERENCE) return false
  // Multiplied out: odds of 100 % are infinite.
  const odds = members.failed * (rest.traces - rest.failed)
  const restOdds = rest.failed * (members.traces - members.failed)
  if (odds < ODDS_RATIO * restOdds) return false
  const p = fisherGreater({ hits: members.failed, total: members.traces }, { hits: rest.failed, total: rest.traces })
  return p <= SIGNIFICANCE
}
