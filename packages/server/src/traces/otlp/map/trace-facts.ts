import { type Limits, NAME_LENGTH } from '@spoor/contract/limits'
import type { SpanFacts } from '../../../ports/traces/prepared.ts'
import type { Span, SpanOrigin, Value } from '../wire/span.ts'
import { recordedTrace } from './recorded-fields.ts'
import { isList, isObject, type JsonObject, parsed, type SpanFields } from './span-fields.ts'
import * as table from './mapping-table.ts'

/** How good a name of a trace is; less is better. */
const NAME_RANK = { recorded: -1, given: 0, root: table.TRACE_NAME.length, span: table.TRACE_NAME.length + 1 } as const

/** What a span says about its trace. Marks what it uses. Throws BadSpan. */
export function traceFacts(
  span: Span,
  { resource }: SpanOrigin,
  fields: SpanFields,
  isTrace: boolean,
  limits: Limits,
): SpanFacts {
  const recorded = recordedTrace(fields, limits)
  const isRoot = isTrace || span.parentSpanId === null
  const own = recorded?.given.has('name') === true ? recorded.trace.name : isTrace ? filterText(span.name) : null
  const isRunTypeGiven = recorded?.given.has('run_type') === true
  const sessionId = recorded?.trace.sessionId ?? filterText(fields.useFirstText(table.SESSION_ID))
  const userId = recorded?.trace.userId ?? filterText(fields.useFirstText(table.USER_ID))
  const metadata = traceMetadata(resource, fields, new Set([sessionId, userId]))
  return {
    isRoot,
    ...(own === null ? traceName(span, fields, isRoot) : { name: own, nameRank: NAME_RANK.recorded }),
    runType: isRunTypeGiven ? recorded.trace.runType : runType(fields, isRoot),
    ...(isRunTypeGiven ? { isRunTypeGiven } : {}),
    sessionId,
    userId,
    metadata: recorded === null ? metadata : { ...metadata, ...toObject(recorded.trace.metadata) },
  }
}

function toObject(metadata: Buffer): JsonObject {
  return JSON.parse(metadata.toString()) as JsonObject
}

function traceName(span: Span, fields: SpanFields, isRoot: boolean): Pick<SpanFacts, 'name' | 'nameRank'> {
  const given = table.TRACE_NAME.findIndex((name) => fields.text(name) !== undefined)
  const named = given === -1 ? null : filterText(fields.useFirstText(table.TRACE_NAME))
  if (named !== null) return { name: named, nameRank: NAME_RANK.given + given }
  const operation = fields.text(table.OPERATION)
  const isAgent = operation === 'invoke_agent' || operation === 'invoke_workflow'
  const own =
    (isRoot && isAgent ? fields.text(table.AGENT_NAME) : undefined) ?? fields.text(table.FUNCTION_ID) ?? span.name
  return { name: filterText(own) ?? 'trace', nameRank: isRoot ? NAME_RANK.root : NAME_RANK.span }
}

function runType(fields: SpanFields, isRoot: boolean): string | null {
  if (fields.has(table.EXPERIMENT)) return 'eval'
  if (!isRoot) return null
  const ofOperation = table.RUN_TYPE_OF_OPERATION[fields.text(table.OPERATION) ?? '']
  if (ofOperation !== undefined) return ofOperation
  return fields.text('traceloop.span.kind') === 'workflow' ? 'workflow' : 'agent'
}

/** Names within the prefixes of the metadata that have a field of their own. */
const HAVE_FIELDS: ReadonlySet<string> = new Set([...table.SESSION_ID, ...table.USER_ID])

/** Leaves out a session or user that is a field of the trace. */
function traceMetadata(
  resource: ReadonlyMap<string, Value>,
  fields: SpanFields,
  inFields: ReadonlySet<string | null>,
): Readonly<Record<string, Value>> {
  const metadata = new Map<string, Value>()
  for (const [key, names] of table.METADATA_FIELDS) {
    const value = names.map((name) => resource.get(name) ?? fields.use(name)).find((found) => found !== undefined)
    if (value !== undefined) metadata.set(key, value)
  }
  for (const name of table.METADATA_OBJECTS) {
    const object = parsed(fields.get(name))
    if (!isObject(object)) continue
    fields.use(name)
    for (const [key, value] of Object.entries(object)) metadata.set(key, value)
  }
  const tags = table.TAGS.find((name) => isList(parsed(fields.get(name))))
  if (tags !== undefined) metadata.set('tags', parsed(fields.use(tags)) as Value)
  const set = (name: string, key: string, value: Value) => {
    const hasField = HAVE_FIELDS.has(name) && inFields.has(String(value))
    if (!hasField && metadata.has(key)) return
    fields.use(name)
    if (!hasField) metadata.set(key, value)
  }
  for (const prefix of table.METADATA_PREFIXES)
    for (const [key, value] of fields.below(prefix)) set(prefix + key, key, value)
  if (table.MASTRA_RUNS.has(fields.text(table.MASTRA_TYPE) ?? '')) {
    for (const [key, value] of fields.below(table.MASTRA_METADATA))
      if (!table.MASTRA_OWN_METADATA.has(key)) set(table.MASTRA_METADATA + key, key, value)
  }
  return Object.fromEntries(metadata)
}

/**
 * A text that traces can be filtered by: valid Unicode without NUL, at most as long as a name may be. Null when nothing
 * is left.
 */
export function filterText(text: string | undefined): string | null {
  if (text === undefined) return null
  const valid = text.toWellFormed().replaceAll('\0', '')
  const cut = valid.length <= NAME_LENGTH ? valid : valid.slice(0, NAME_LENGTH).toWellFormed()
  return cut === '' ? null : cut
}
