import type { JsonBodyRules } from './json-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import type { Pace } from '../connections/pace.ts'
import type { BodyRules } from './request-body.ts'

/** Long enough for a mobile network that hands over, short enough that the abandoned do not pile up. */
const WAIT_MS = 30_000
/** Of a body that is held until it is whole, about 550 bytes a second: less than the slowest mobile networks bring. */
const BODY_PACE: Pace = { bytes: 16 * 1024, waitMs: WAIT_MS }
/** Of lines that are taken one by one: an agent may send each when it has it. */
const LINES_PACE: Pace = { bytes: 1, waitMs: WAIT_MS }

/** For bodies that do not go through the queue of commits. */
export function bodyRules({ timers, ingestBudget }: HttpDependencies): BodyRules {
  return { timers, pace: BODY_PACE, budget: ingestBudget, refusal: () => null }
}

/** For bodies that are committed: a full queue refuses them before they are read. */
export function intakeRules(dependencies: HttpDependencies): BodyRules {
  return { ...bodyRules(dependencies), refusal: dependencies.intakeRefusal }
}

/** For NDJSON lines that are committed. */
export function linesRules(dependencies: HttpDependencies): BodyRules {
  return { ...intakeRules(dependencies), pace: LINES_PACE }
}

export function jsonBodyRules(dependencies: HttpDependencies): JsonBodyRules {
  const { controlBodyBytes, jsonDepth } = dependencies.limits
  return { body: bodyRules(dependencies), limitBytes: controlBodyBytes, jsonDepth, work: dependencies.work }
}
