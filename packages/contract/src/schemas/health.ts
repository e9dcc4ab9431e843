import { Type, type Static } from 'typebox'
import { closed, nullableString } from './primitives.ts'

/** Liveness: the process answers. It does not include the stores. */
export const Health = closed('The process is alive.', {
  status: Type.Literal('ok', { description: 'Always `ok`.' }),
  version: Type.String({ description: 'The version of the service.' }),
})
export type Health = Static<typeof Health>

export const ReadinessCheck = closed('The check of one part that the service needs.', {
  name: Type.String({ description: 'The part that was checked, for example `telemetry` or `control`.' }),
  ok: Type.Boolean({ description: 'Whether it works.' }),
  detail: nullableString({
    description: 'Why it does not work, or a warning for the operator although it works; otherwise null.',
  }),
})
export type ReadinessCheck = Static<typeof ReadinessCheck>

/** `ready` (200) if every check is ok, otherwise `unavailable` (503). */
export const Readiness = closed('Whether the service can handle requests.', {
  status: Type.Enum(['ready', 'unavailable'], { description: '`ready` if every check is ok.' }),
  checks: Type.Array(ReadinessCheck, { description: 'All checks.' }),
})
export type Readiness = Static<typeof Readiness>
