import { Type, type Static } from 'typebox'
import { LIMITS, mapLimits, toWireLimits } from '../limits.ts'
import { count } from './primitives.ts'

const limits = toWireLimits(mapLimits((name) => count(LIMITS[name].description)))

export const Settings = Type.Object(
  {
    version: Type.String({ description: 'The version of the service.' }),
    limits: Type.Object(limits, { additionalProperties: false, description: 'The limits in force.' }),
    retention: Type.Object(
      {
        journal_seconds: count('How far back the tail can be resumed, in seconds.'),
        delivery_seconds: count('How long finished deliveries and their attempts are retained, in seconds.'),
        session_seconds: count('How long a browser stays signed in, in seconds.'),
      },
      {
        additionalProperties: false,
        description:
          'How long data that expires is retained. Traces, metric events and media are retained until they are deleted.',
      },
    ),
    features: Type.Object(
      {
        full_text: Type.Boolean({ description: 'Whether names and message texts can be searched (`q`).' }),
        media_store: Type.Enum(['folder', 'bucket'], { description: 'Where the bytes of media are stored.' }),
        monitor_interval_seconds: count('Within how many seconds monitors report a crossing.'),
        trace_quiet_seconds: count(
          'How long nothing comes of a trace in pieces, after its root, before it is complete, in seconds.',
        ),
      },
      { additionalProperties: false, description: 'The features of the service.' },
    ),
  },
  { additionalProperties: false, description: 'The settings of the service, the same for all projects.' },
)
export type Settings = Static<typeof Settings>
