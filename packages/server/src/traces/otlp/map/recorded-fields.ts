import type { FieldError } from '@spoor/contract/errors'
import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { DomainError } from '../../../lib/domain-error.ts'
import {
  cutProblems,
  DEPTH_OF_VALUES,
  flattened,
  moveAside,
  type Problem,
  tellProblem,
} from '../../../lib/validation/move-aside.ts'
import { valueOf } from '../../../lib/validation/refusal.ts'
import type { PreparedTrace } from '../../../ports/traces/prepared.ts'
import { assumedMedia } from '../../intake/linkable-media.ts'
import { readStep } from '../../intake/parse-step.ts'
import { parseTrace } from '../../intake/parse-trace.ts'
import { BadSpan } from '../wire/span.ts'
import { RECORDED_STEP, RECORDED_TRACE, type RecordedField, SPAN_KIND } from './mapping-table.ts'
import type { SpanFields } from './span-fields.ts'

/** Texts of JSON by field of the API: of a text of JSON its own bytes. */
type FieldTexts = ReadonlyMap<string, string>

/** Whether the span is the trace itself. A kind that does not exist stays in the metadata. */
export function isTraceSpan(fields: SpanFields): boolean {
  if (fields.get(SPAN_KIND) !== 'trace') return false
  fields.use(SPAN_KIND)
  return true
}

export interface RecordedStep {
  readonly given: FieldTexts
  readonly step: StepBody
}

/**
 * What a recorder says about the step by the attributes in `table`, or null. They become a step of the API and are
 * parsed as one. What breaks its rules is moved aside into the metadata, where `told` is too.
 */
export function recordedStep(
  projectId: ProjectId,
  name: string,
  fields: SpanFields,
  limits: Limits,
  told: readonly Problem[],
  table = RECORDED_STEP,
): RecordedStep | null {
  const media = assumedMedia(projectId)
  const found = parseMended(table, fields, { name, limits, told }, (bytes) => valueOf(readStep(bytes, limits, media)))
  return found === null ? null : { given: found.given, step: found.value.step }
}

export interface RecordedTrace {
  readonly given: FieldTexts
  /** The trace that the API would make of these fields. */
  readonly trace: PreparedTrace
}

/** The same about the trace. */
export function recordedTrace(fields: SpanFields, limits: Limits): RecordedTrace | null {
  const found = parseMended(RECORDED_TRACE, fields, { name: 'unnamed', limits, told: [] }, (bytes) =>
    parseTrace(bytes, limits),
  )
  return found === null ? null : { given: found.given, trace: found.value }
}

/** Errors are moved aside one by one this often, and then by whole fields. */
const ROUNDS = 3

/** What `parse` makes of the fields, and the texts that it took. Null if there are none. */
function parseMended<T>(
  table: readonly RecordedField[],
  fields: SpanFields,
  { name, limits, told }: { readonly name: string; readonly limits: Limits; readonly told: readonly Problem[] },
  parse: (bytes: Buffer) => T,
): { readonly given: FieldTexts; readonly value: T } | null {
  if (told.length === 0 && !table.some(({ attribute }) => fields.has(attribute))) return null
  const { texts, problems } = fieldTexts(fields, table, told)
  if (problems.length > 0) {
    const given = parseExactJson(texts.get('metadata') ?? '{}')
    const home: Record<string, unknown> = { metadata: flattened(given, limits.jsonDepth - DEPTH_OF_VALUES) }
    for (const problem of problems) {
      tellProblem(home, problem)
      fields.warn(`${problem.field}: ${problem.problem}`)
    }
    texts.set('metadata', JSON.stringify(home['metadata']))
  }
  for (let round = 1; ; round++) {
    const members = texts.has('name') ? texts : new Map([['name', JSON.stringify(name)], ...texts])
    try {
      return { given: texts, value: parse(toBody(members)) }
    } catch (error) {
      if (!(error instanceof DomainError) || error.errors.length === 0) throw error
      // Each round of whole fields takes one out at least, so this is a fault of ours.
      if (round > ROUNDS + table.length) throw new BadSpan(`attributes spoor.*: ${error.detail}`, { cause: error })
      for (const one of error.errors) fields.warn(inAttribute(one, table))
      mend(texts, error.errors, limits, round > ROUNDS)
    }
  }
}

/** Names the attribute and the place in it. */
function inAttribute({ pointer, detail }: FieldError, table: readonly RecordedField[]): string {
  const [, field, ...deeper] = pointer.split('/')
  const attribute = table.find((one) => one.field === field)?.attribute ?? 'attributes spoor.*'
  return `${[attribute, ...deeper].join('/')}: ${detail}`
}

/** Moves the errors aside and prints the fields that this changes. */
function mend(texts: Map<string, string>, errors: readonly FieldError[], limits: Limits, wholly: boolean): void {
  const body = Object.fromEntries([...texts].map(([field, text]) => [field, parseExactJson(text)]))
  const changed = moveAside(body, errors, limits, wholly)
  cutProblems(body['metadata'] as Record<string, unknown>, limits.lineBytes / 4)
  for (const field of changed) {
    const isLeft = Object.hasOwn(body, field) && !(field === 'name' && body[field] === 'unnamed')
    if (isLeft) texts.set(field, JSON.stringify(body[field]))
    else texts.delete(field)
  }
}

function fieldTexts(
  fields: SpanFields,
  table: readonly RecordedField[],
  told: readonly Problem[],
): { readonly texts: Map<string, string>; readonly problems: readonly Problem[] } {
  const texts = new Map<string, string>()
  const problems = [...told]
  for (const { attribute, field, isJson } of table) {
    const value = fields.get(attribute)
    if (value === undefined) continue
    const text = isJson && typeof value !== 'string' ? JSON.stringify(value) : value
    // It stays in the metadata under its own name.
    if (typeof text !== 'string') problems.push({ field: attribute, problem: 'It must be a string.' })
    else if (isJson && !isJsonText(text)) problems.push({ field: attribute, problem: 'It must be a string of JSON.' })
    else {
      texts.set(field, isJson ? text : JSON.stringify(text))
      // Attachments stay in the metadata, so that a corrected span links them once.
      if (field !== 'attachments') fields.use(attribute)
    }
  }
  return { texts, problems }
}

/** The text is put between others, so it must be one value and no more. */
function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return false
  }
}

function toBody(texts: FieldTexts): Buffer {
  return Buffer.from(`{${[...texts].map(([field, text]) => `"${field}":${text}`).join(',')}}`)
}
