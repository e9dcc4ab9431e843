import { Type, type Static } from 'typebox'
import { LIMITS, mapLimits, toWireLimits } from '../limits.ts'
import { closed, count, flagOf, textOf } from './primitives.ts'

const limits = toWireLimits(mapLimits((name) => count(LIMITS[name].description)))

export const Settings = closed('The settings of the service, the same for all projects.', {
  version: textOf('The version of the service.'),
  limits: closed('The limits in force.', limits),
  retention: closed(
    'How long other data is retained. For traces, metric events and media see `retention` of the project.',
    {
      journal_seconds: count('How far back the tail can be resumed, in seconds.'),
      delivery_seconds: count('How long finished deliveries and their attempts are retained, in seconds.'),
      idempotency_seconds: count('How long idempotency keys of traces and steps are known at least, in seconds.'),
      audit_seconds: count('How long entries of the audit log are retained, in seconds.'),
      session_seconds: count('How long a browser stays signed in, in seconds.'),
    },
  ),
  features: closed('The features of the service.', {
    full_text: flagOf('Whether names and message texts can be searched (`q`).'),
    media_store: Type.Enum(['folder', 'bucket'], { description: 'Where the bytes of media are stored.' }),
    monitor_interval_seconds: count('Within how many seconds monitors report a crossing.'),
    trace_quiet_seconds: count(
      'How long nothing comes of a trace in pieces, after its root, before it is complete, in seconds.',
    ),
  }),
})
export type Settings = Static<typeof Settings>
