import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import { DomainError } from '../../../lib/domain-error.ts'
import { valueOf } from '../../../lib/validation/refusal.ts'
import type { PreparedStep, PreparedTrace } from '../../../ports/traces/prepared.ts'
import { assumedMedia } from '../../intake/linkable-media.ts'
import { parseStep } from '../../intake/parse-step.ts'
import { parseTrace } from '../../intake/parse-trace.ts'
import { BadSpan } from '../wire/span.ts'
import { RECORDED_STEP, RECORDED_TRACE, type RecordedField, SPAN_KIND } from './mapping-table.ts'
import type { SpanFields } from './span-fields.ts'

/** Texts of JSON by field of the API: of a text of JSON its own bytes. */
type FieldTexts = ReadonlyMap<string, string>

/** Whether the span is the trace itself. Throws BadSpan for a kind that does not exist. */
export function isTraceSpan(fields: SpanFields): boolean {
  const kind = fields.use(SPAN_KIND)
  if (kind !== undefined && kind !== 'trace') throw new BadSpan(`${SPAN_KIND}: it must be \`trace\``)
  return kind === 'trace'
}

export interface RecordedStep {
  readonly given: FieldTexts
  /** The step that the API would make of these fields. A field that is not given has its default. */
  readonly step: PreparedStep
}

/**
 * What a recorder says about the step by the attributes in `table`, or null. They become a step of the API and are
 * parsed as one, so they have its rules and its errors. Throws BadSpan.
 */
export function recordedStep(
  projectId: ProjectId,
  name: string,
  fields: SpanFields,
  limits: Limits,
  table = RECORDED_STEP,
): RecordedStep | null {
  const given = fieldTexts(fields, table)
  if (given.size === 0) return null
  const bytes = toBody(new Map([['name', JSON.stringify(name)], ...given]))
  const step = orBadSpan(table, () => valueOf(parseStep(bytes, limits, assumedMedia(projectId))))
  return { given, step }
}

export interface RecordedTrace {
  readonly given: FieldTexts
  /** The trace that the API would make of these fields. */
  readonly trace: PreparedTrace
}

/** The same about the trace. */
export function recordedTrace(fields: SpanFields, limits: Limits): RecordedTrace | null {
  const given = fieldTexts(fields, RECORDED_TRACE)
  if (given.size === 0) return null
  const bytes = toBody(new Map([['name', '"unnamed"'], ...given]))
  return { given, trace: orBadSpan(RECORDED_TRACE, () => parseTrace(bytes, limits)) }
}

function fieldTexts(fields: SpanFields, table: readonly RecordedField[]): FieldTexts {
  const texts = new Map<string, string>()
  for (const { attribute, field, isJson } of table) {
    const value = fields.get(attribute)
    if (value === undefined) continue
    if (typeof value !== 'string') throw new BadSpan(`${attribute}: it must be a string`)
    if (isJson) checkJson(attribute, value)
    texts.set(field, isJson ? value : JSON.stringify(value))
    // Attachments stay in the metadata, so that a corrected span links them once.
    if (field !== 'attachments') fields.use(attribute)
  }
  return texts
}

/** The text is put between others, so it must be one value and no more. */
function checkJson(attribute: string, text: string): void {
  try {
    JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new BadSpan(`${attribute}: it must be a string of JSON`, { cause: error })
  }
}

function toBody(texts: FieldTexts): Buffer {
  return Buffer.from(`{${[...texts].map(([field, text]) => `"${field}":${text}`).join(',')}}`)
}

/** The first error names the attribute and the place in it. */
function orBadSpan<T>(table: readonly RecordedField[], parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const [first] = error.errors
    const [, field, ...deeper] = first?.pointer.split('/') ?? []
    const attribute = table.find((one) => one.field === field)?.attribute ?? 'attributes spoor.*'
    const place = [attribute, ...deeper].join('/')
    throw new BadSpan(`${place}: ${first?.detail ?? error.detail}`, { cause: error })
  }
}
