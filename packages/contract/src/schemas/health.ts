import { Type, type Static } from 'typebox'
import { closed, flagOf, listOf, nullableText, textOf } from './primitives.ts'

/** Liveness: the process answers. It does not include the stores. */
export const Health = closed('The process is alive.', {
  status: Type.Literal('ok', { description: 'Always `ok`.' }),
  version: textOf('The version of the service.'),
})
export type Health = Static<typeof Health>

export const ReadinessCheck = closed('The check of one part that the service needs.', {
  name: textOf('The part that was checked, for example `telemetry` or `control`.'),
  ok: flagOf('Whether it works.'),
  detail: nullableText('Why it does not work, or a warning for the operator although it works; otherwise null.'),
})
export type ReadinessCheck = Static<typeof ReadinessCheck>

/** `ready` (200) if every check is ok, otherwise `unavailable` (503). */
export const Readiness = closed('Whether the service can handle requests.', {
  status: Type.Enum(['ready', 'unavailable'], { description: '`ready` if every check is ok.' }),
  checks: listOf(ReadinessCheck, 'All checks.'),
})
export type Readiness = Static<typeof Readiness>
