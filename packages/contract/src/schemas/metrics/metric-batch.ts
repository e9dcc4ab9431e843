import { Type, type Static } from 'typebox'
import { RefusedLine } from '../traces/line-result.ts'
import { idString } from '../primitives.ts'

/** An event that is recorded: by this request, or earlier under the same idempotency key. */
export const AcceptedMetricEvent = Type.Object(
  {
    line: Type.Integer({
      minimum: 1,
      description: 'The element of the array, or the physical line of the NDJSON request, from 1.',
    }),
    status: Type.Enum(['created', 'duplicate'], {
      description: '`created`: the event is durable and readable. `duplicate`: the same event was already recorded.',
    }),
    event_id: idString('mev', 'The event; for a duplicate the first one.'),
  },
  { additionalProperties: false, description: 'An event that is recorded.' },
)

export const MetricLineResult = Type.Union([AcceptedMetricEvent, RefusedLine], {
  description: 'The result for one metric event.',
})

export const MetricBatchResponse = Type.Object(
  {
    errors: Type.Boolean({ description: 'Whether any event was refused. If so, the status is 207, otherwise 200.' }),
    results: Type.Array(MetricLineResult, { description: 'One result per event, in the order sent.' }),
  },
  { additionalProperties: false, description: 'The result for each event of a batch.' },
)
export type MetricBatchResponse = Static<typeof MetricBatchResponse>
