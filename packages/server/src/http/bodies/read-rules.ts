import type { JsonBodyRules } from './json-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import type { Pace } from '../connections/pace.ts'
import type { BodyRules } from './request-body.ts'

/** Long enough for a handover in a mobile network, short enough that abandoned requests do not accumulate. */
const WAIT_MS = 30_000
/** For a body that is held until it is complete: about 550 bytes per second, less than the slowest mobile networks. */
const BODY_PACE: Pace = { bytes: 16 * 1024, waitMs: WAIT_MS }
/** For lines that are processed one by one: an agent may send each when it is ready. */
const LINES_PACE: Pace = { bytes: 1, waitMs: WAIT_MS }

/** For bodies that are not committed through the queue. */
export function bodyRules({ timers, ingestBudget, countingRoom }: HttpDependencies): BodyRules {
  return { timers, pace: BODY_PACE, budget: ingestBudget, room: null, countingRoom, refusal: () => null }
}

/** For bodies that are committed: a full queue refuses them before they are read. */
export function intakeRules(dependencies: HttpDependencies): BodyRules {
  return { ...bodyRules(dependencies), refusal: dependencies.intakeRefusal }
}

/** For exports of OpenTelemetry: one may be larger than the budget. */
export function exportRules(dependencies: HttpDependencies): BodyRules {
  return { ...intakeRules(dependencies), room: dependencies.exportRoom }
}

/** For NDJSON lines that are committed. */
export function linesRules(dependencies: HttpDependencies): BodyRules {
  return { ...intakeRules(dependencies), pace: LINES_PACE }
}

export function jsonBodyRules(dependencies: HttpDependencies): JsonBodyRules {
  const { controlBodyBytes, jsonDepth } = dependencies.limits
  return { body: bodyRules(dependencies), limitBytes: controlBodyBytes, jsonDepth, work: dependencies.work }
}
