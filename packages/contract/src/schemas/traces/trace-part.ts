import { Type, type Static } from 'typebox'
import { NAME_LENGTH, PART_METRIC_EVENTS_MAX } from '../../limits.ts'
import { MetricEventBody } from '../metrics/metric-event-body.ts'
import { closed, count, flagOf, idString, listOf, nullableString, nullableText } from '../primitives.ts'
import { TraceBody } from './trace-body.ts'

/**
 * What was sent of a trace, with its ids: what an export of runs has in each line, and an import takes. A long trace
 * has several parts, each with the steps that follow those of the part before. Metric events are in the last one with
 * steps and, if there are too many for it, in further parts.
 */
export const TracePart = closed('A trace as it was sent, with its ids, or a part of a long one.', {
  id: idString('tr', 'The trace. Its time of creation is in the id.'),
  from: count('How many steps the parts before this one have; 0 for the first part.'),
  events_from: Type.Optional(
    count('How many metric events the parts before this one have. Absent in parts that may have steps.'),
  ),
  flagged: flagOf('Whether the trace is flagged.'),
  flag_reason: nullableString({ maxLength: NAME_LENGTH, description: 'Why it was marked as failed or flagged.' }),
  media_project: Type.Optional(idString('proj', 'The project in the uris of attachments. Absent without attachments.')),
  trace: TraceBody,
  metric_events: Type.Optional(
    Type.Array(MetricEventBody, {
      maxItems: PART_METRIC_EVENTS_MAX,
      description: 'Metric events of the trace, in order of arrival, behind its last step. Absent without any.',
    }),
  ),
})
export type TracePart = Static<typeof TracePart>

export const TracePartList = closed('One part of a trace.', {
  parts: listOf(TracePart, 'One part.'),
  next_cursor: nullableText('Pass it as `cursor` for the next part; null on the last one.'),
})
export type TracePartList = Static<typeof TracePartList>
