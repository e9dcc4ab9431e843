import { Type, type Static } from 'typebox'
import { RefusedLine } from '../traces/line-result.ts'
import { idString } from '../primitives.ts'

/** An event that is in the trace: written now, or earlier under the same idempotency key. */
export const AcceptedMetricEvent = Type.Object(
  {
    line: Type.Integer({
      minimum: 1,
      description: 'The element of the array, or the physical line of the NDJSON request, from 1.',
    }),
    status: Type.Enum(['created', 'duplicate'], {
      description: '`created`: the event is durable and readable. `duplicate`: it already was, with the same content.',
    }),
    event_id: idString('mev', 'The event; of a duplicate the first one.'),
  },
  { additionalProperties: false, description: 'An event that is recorded.' },
)

export const MetricLineResult = Type.Union([AcceptedMetricEvent, RefusedLine], {
  description: 'The verdict on one metric event.',
})

export const MetricBatchResponse = Type.Object(
  {
    errors: Type.Boolean({ description: 'Whether any event was refused; the status is 207 then, else 200.' }),
    results: Type.Array(MetricLineResult, { description: 'One verdict per event, in the order sent.' }),
  },
  { additionalProperties: false, description: 'What became of each event of a batch.' },
)
export type MetricBatchResponse = Static<typeof MetricBatchResponse>
