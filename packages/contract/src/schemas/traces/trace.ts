import { UNPRICED_MODELS_MAX } from '../../limits.ts'
import { Type, type Static } from 'typebox'
import { Attachment } from '../attachment.ts'
import { MetricEvent } from '../metrics/metric-event.ts'
import { nullableCost } from '../price.ts'
import { closed, listOf, nullablePrintedTime, nullableText } from '../primitives.ts'
import { MaskedCounts } from '../masking.ts'
import { Finding } from './finding.ts'
import { Step } from './step.ts'
import { TraceRow } from './trace-row.ts'

/** One whole trace: its row in lists and everything that lists omit. */
export const Trace = closed('One whole trace.', {
  ...TraceRow.properties,
  ended_at: nullablePrintedTime('When the run ended: its own time, or that of its latest step.'),
  flag_reason: nullableText('The reason given when it was marked as failed or flagged.'),
  masked: MaskedCounts,
  findings: listOf(Finding, 'What the run did again and again, and values that it made up, by the first step of each.'),
  steps: listOf(Step, 'All steps, in arrival order.'),
  attachments: listOf(Attachment, 'Media of the trace without a step.'),
  metric_events: listOf(MetricEvent, 'The metric events of the trace and its steps, oldest first.'),
  cost_usd: nullableCost('The total cost of its steps; null if no step has a cost.'),
  unpriced_models: listOf(
    Type.String(),
    `Models of steps that used tokens but have no price, so that \`cost_usd\` does not include them; at most ${UNPRICED_MODELS_MAX}.`,
  ),
})
export type Trace = Static<typeof Trace>

const { masked, findings, steps, attachments, metric_events, unpriced_models, ended_at, flag_reason } = Trace.properties

export const PartialTrace = closed(
  'The row of a trace and the parts that `include` names. With any part, also `ended_at`, `flag_reason`, `masked` and `findings`; with steps, also `unpriced_models`.',
  {
    ...TraceRow.properties,
    ...Type.Partial(
      Type.Object({
        ended_at,
        flag_reason,
        masked,
        findings,
        steps,
        attachments,
        metric_events,
        unpriced_models,
      }),
    ).properties,
  },
)
