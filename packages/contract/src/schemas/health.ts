import { Type, type Static } from 'typebox'
import { nullableString } from './primitives.ts'

/** Liveness: the process answers. Says nothing about the stores. */
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
    name: Type.String({ description: 'What was looked at, for example `telemetry`, `control`.' }),
    ok: Type.Boolean({ description: 'Whether it can do its work.' }),
    detail: nullableString({
      description: 'Why it cannot, or what an operator should know although it can; null for neither.',
    }),
  },
  { additionalProperties: false, description: 'One part the service needs.' },
)
export type ReadinessCheck = Static<typeof ReadinessCheck>

/** `ready` (200) when every check is ok, else `unavailable` (503). */
export const Readiness = Type.Object(
  {
    status: Type.Enum(['ready', 'unavailable'], { description: '`ready` when every check is ok.' }),
    checks: Type.Array(ReadinessCheck, { description: 'Everything that was looked at.' }),
  },
  { additionalProperties: false, description: 'Whether the service can take and answer requests.' },
)
export type Readiness = Static<typeof Readiness>
