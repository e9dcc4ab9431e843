import { Type, type Static } from 'typebox'
import { RefusedLine } from '../traces/line-result.ts'
import { closed, flagOf, idString, listOf } from '../primitives.ts'

/** An event that is recorded: by this request, or earlier under the same idempotency key. */
export const AcceptedMetricEvent = closed('An event that is recorded.', {
  line: Type.Integer({
    minimum: 1,
    description: 'The element of the array, or the physical line of the NDJSON request, from 1.',
  }),
  status: Type.Enum(['created', 'duplicate'], {
    description: '`created`: the event is durable and readable. `duplicate`: the same event was already recorded.',
  }),
  event_id: idString('mev', 'The event; for a duplicate the first one.'),
})

export const MetricLineResult = Type.Union([AcceptedMetricEvent, RefusedLine], {
  description: 'The result for one metric event.',
})

export const MetricBatchResponse = closed('The result for each event of a batch.', {
  errors: flagOf('Whether any event was refused. If so, the status is 207, otherwise 200.'),
  results: listOf(MetricLineResult, 'One result per event, in the order sent.'),
})
export type MetricBatchResponse = Static<typeof MetricBatchResponse>
