import type { ControlBodyRules } from './control-body.ts'
import type { HttpDependencies } from './dependencies.ts'
import type { BodyRules } from './request-body.ts'

/** Long enough for a mobile network that hands over, short enough that the abandoned do not pile up. */
const STALL_MS = 30_000

export function bodyRules({ timers, ingestBudget }: HttpDependencies): BodyRules {
  return { timers, stallMs: STALL_MS, budget: ingestBudget }
}

export function controlBodyRules(dependencies: HttpDependencies): ControlBodyRules {
  const { controlBodyBytes, jsonDepth } = dependencies.limits
  return { body: bodyRules(dependencies), limitBytes: controlBodyBytes, jsonDepth }
}
