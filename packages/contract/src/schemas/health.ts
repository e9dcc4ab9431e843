import { Type, type Static } from 'typebox'
import { nullableString } from './primitives.ts'

/** Liveness: the process answers. It does not include the stores. */
export const Health = Type.Object(
  {
    status: Type.Literal('ok', { description: 'Always `ok`.' }),
    version: Type.String({ description: 'The version of the service.' }),
  },
  { additionalProperties: false, description: 'The process is alive.' },
)
export type Health = Static<typeof Health>

export const ReadinessCheck = Type.Object(
  {
    name: Type.String({ description: 'The part that was checked, for example `telemetry` or `control`.' }),
    ok: Type.Boolean({ description: 'Whether it works.' }),
    detail: nullableString({
      description: 'Why it does not work, or a warning for the operator although it works; otherwise null.',
    }),
  },
  { additionalProperties: false, description: 'The check of one part that the service needs.' },
)
export type ReadinessCheck = Static<typeof ReadinessCheck>

/** `ready` (200) if every check is ok, otherwise `unavailable` (503). */
export const Readiness = Type.Object(
  {
    status: Type.Enum(['ready', 'unavailable'], { description: '`ready` if every check is ok.' }),
    checks: Type.Array(ReadinessCheck, { description: 'All checks.' }),
  },
  { additionalProperties: false, description: 'Whether the service can handle requests.' },
)
export type Readiness = Static<typeof Readiness>
