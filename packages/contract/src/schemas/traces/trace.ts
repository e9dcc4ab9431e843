import { UNPRICED_MODELS_MAX } from '../../limits.ts'
import { Type, type Static } from 'typebox'
import { Attachment } from '../attachment.ts'
import { MetricEvent } from '../metrics/metric-event.ts'
import { nullableCost } from '../price.ts'
import { nullablePrintedTime, nullableString } from '../primitives.ts'
import { Step } from './step.ts'
import { TraceRow } from './trace-row.ts'

/** All of one trace: its row of the feed and everything the feed leaves out. */
export const Trace = Type.Object(
  {
    ...TraceRow.properties,
    started_at: nullablePrintedTime('When the run began: its own time, else that of its earliest step.'),
    ended_at: nullablePrintedTime('When the run ended: its own time, else that of its latest step.'),
    flag_reason: nullableString({ description: 'The reason given when it was marked failed or flagged.' }),
    steps: Type.Array(Step, { description: 'All steps, in arrival order.' }),
    attachments: Type.Array(Attachment, { description: 'Media of the trace that belong to no step.' }),
    metric_events: Type.Array(MetricEvent, {
      description: 'What was measured on the trace and its steps, oldest first.',
    }),
    cost_usd: nullableCost('The costs of its steps together; null when no step has one.'),
    unpriced_models: Type.Array(Type.String(), {
      description: `Models of steps that used tokens and have no price, so that \`cost_usd\` is too low by them; at most ${UNPRICED_MODELS_MAX}.`,
    }),
  },
  { additionalProperties: false, description: 'One whole trace.' },
)
export type Trace = Static<typeof Trace>

const { steps, attachments, metric_events, cost_usd, unpriced_models, started_at, ended_at, flag_reason } =
  Trace.properties

/** What was asked for of one trace. */
export const PartialTrace = Type.Object(
  {
    ...TraceRow.properties,
    ...Type.Partial(
      Type.Object({
        started_at,
        ended_at,
        flag_reason,
        steps,
        attachments,
        metric_events,
        cost_usd,
        unpriced_models,
      }),
    ).properties,
  },
  {
    additionalProperties: false,
    description:
      'The row of a trace and what `include` names. With any part, also `started_at`, `ended_at`, `flag_reason`; with steps, also the costs.',
  },
)
