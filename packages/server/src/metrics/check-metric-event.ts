import type { FieldError } from '@spoor/contract/errors'
import { isId } from '@spoor/contract/ids'
import type { MetricValue } from '../ports/journal/metric-event.ts'
import { shorten } from '../lib/validation/field-errors.ts'
import { type MetricDefinition, withoutSign } from '../ports/metrics/metric-definition.ts'
import type { HashedScore } from './metric-recorder.ts'
import type { ParsedMetricEvent } from './parse-metric-event.ts'

/** 2000-01-01T00:00:00Z. */
const EARLIEST_AT = 946_684_800_000
/** Milliseconds that clocks of clients may be ahead of ours. */
const AHEAD_MS = 5 * 60 * 1000

export type CheckedEvent = { readonly score: HashedScore } | { readonly error: FieldError }

/**
 * Validates an event against its definition. `definition` is undefined when the project has none of that name; `now` is
 * milliseconds.
 */
export function checkMetricEvent(
  event: ParsedMetricEvent,
  definition: MetricDefinition | undefined,
  now: number,
): CheckedEvent {
  if (definition === undefined) {
    return refuse(
      '/name',
      'undefined_metric',
      `There is no metric ${JSON.stringify(shorten(event.name))}: define it first.`,
    )
  }
  const value = checkValue(event, definition)
  if ('error' in value) return value
  const at = event.at ?? now
  if (event.at !== null && (at < EARLIEST_AT || at > now + AHEAD_MS)) {
    const detail = '`at` must lie from the year 2000 to five minutes ahead of the clock of the service.'
    return refuse('/at', 'out_of_range', detail)
  }
  // A malformed id matches nothing.
  const { traceId, stepId } = event
  if (!isId('tr', traceId)) return refuse('/trace_id', 'unknown_trace', 'There is no such trace.')
  if (stepId !== null && !isId('st', stepId)) return refuse('/step_id', 'unknown_step', 'The trace has no such step.')
  const { source, comment, metadata, idempotencyKey, contentHash } = event
  const metricId = definition.id
  return { score: { metricId, traceId, stepId, value, source, comment, metadata, idempotencyKey, contentHash, at } }
}

type Refused = { readonly error: FieldError }

function refuse(pointer: string, code: FieldError['code'], detail: string): Refused {
  return { error: { pointer, code, detail } }
}

function checkValue({ passed, value }: ParsedMetricEvent, definition: MetricDefinition): MetricValue | Refused {
  const { kind } = definition
  if (kind === 'boolean') {
    if (passed !== undefined) return { kind, passed }
    return refuse('/value', 'wrong_metric_kind', 'The metric is boolean: give `passed`, true or false.')
  }
  if (value === undefined) {
    const wanted = kind === 'numeric' ? 'a number' : 'one of its options'
    return refuse('/passed', 'wrong_metric_kind', `The metric is ${kind}: give \`value\`, ${wanted}.`)
  }
  return kind === 'numeric' ? checkNumber(value, definition) : checkOption(value, definition)
}

function checkNumber(value: number | string, { min, max }: MetricDefinition): MetricValue | Refused {
  if (typeof value !== 'number') {
    return refuse('/value', 'wrong_metric_kind', 'The metric is numeric: `value` must be a number.')
  }
  const inRange = Number.isFinite(value) && (min === null || value >= min) && (max === null || value <= max)
  if (inRange) return { kind: 'numeric', number: withoutSign(value) }
  const bounds = [
    ...(min === null ? [] : [`at least ${min}`]),
    ...(max === null ? [] : [`at most ${max}`]),
    ...(min === null && max === null ? ['a number that 64 bits can hold'] : []),
  ]
  return refuse('/value', 'value_out_of_range', `\`value\` must be ${bounds.join(' and ')}.`)
}

function checkOption(value: number | string, { options }: MetricDefinition): MetricValue | Refused {
  if (typeof value !== 'string') {
    return refuse(
      '/value',
      'wrong_metric_kind',
      'The metric is enum: `value` must be the value of an option, a string.',
    )
  }
  const known = options ?? []
  if (known.some((option) => option.value === value)) return { kind: 'enum', option: value }
  const named = known.slice(0, MOST_OPTIONS_NAMED).map((option) => JSON.stringify(option.value))
  const more = known.length > named.length ? ' …' : ''
  return refuse('/value', 'unknown_option', `The options are ${named.join(', ')}${more}.`)
}

const MOST_OPTIONS_NAMED = 10
