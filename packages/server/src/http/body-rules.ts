import type { ControlBodyRules } from './control-body.ts'
import type { HttpDependencies } from './dependencies.ts'
import type { BodyRules } from './request-body.ts'

/** Long enough for a mobile network that hands over, short enough that the abandoned do not pile up. */
const STALL_MS = 30_000

/** For bodies that do not go through the queue of commits. */
export function bodyRules({ timers, ingestBudget }: HttpDependencies): BodyRules {
  return { timers, stallMs: STALL_MS, budget: ingestBudget, refusal: () => null }
}

/** For bodies that are committed: a full queue refuses them before they are read. */
export function intakeRules(dependencies: HttpDependencies): BodyRules {
  return { ...bodyRules(dependencies), refusal: dependencies.intakeRefusal }
}

export function controlBodyRules(dependencies: HttpDependencies): ControlBodyRules {
  const { controlBodyBytes, jsonDepth } = dependencies.limits
  return { body: bodyRules(dependencies), limitBytes: controlBodyBytes, jsonDepth, work: dependencies.work }
}
