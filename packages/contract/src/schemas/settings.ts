import { Type, type Static } from 'typebox'
import { LIMITS, mapLimits, toWireLimits } from '../limits.ts'
import { count } from './primitives.ts'

const limits = toWireLimits(mapLimits((name) => count(LIMITS[name].description)))

export const Settings = Type.Object(
  {
    version: Type.String({ description: 'The version of the service.' }),
    limits: Type.Object(limits, { additionalProperties: false, description: 'The most that is taken of each.' }),
    retention: Type.Object(
      {
        journal_seconds: count('How far back the tail can be resumed.'),
        delivery_seconds: count('How long finished deliveries of webhooks and their attempts are kept.'),
        session_seconds: count('How long a browser stays signed in.'),
      },
      {
        additionalProperties: false,
        description:
          'How long what ends by itself is kept. Traces, metric events and media stay until they are deleted.',
      },
    ),
    features: Type.Object(
      {
        full_text: Type.Boolean({ description: 'Whether names and message texts can be searched (`q`).' }),
        media_store: Type.Enum(['folder', 'bucket'], { description: 'Where the bytes of media are kept.' }),
        monitor_interval_seconds: count('Within how many seconds monitors tell of a crossing.'),
      },
      { additionalProperties: false, description: 'What the service does.' },
    ),
  },
  { additionalProperties: false, description: 'What is set for all projects of a service.' },
)
export type Settings = Static<typeof Settings>
