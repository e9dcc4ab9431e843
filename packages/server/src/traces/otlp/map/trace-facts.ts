import { type Limits, NAME_LENGTH } from '@spoor/contract/limits'
import type { SpanFacts } from '../../../ports/traces/prepared.ts'
import type { Span, SpanOrigin, Value } from '../wire/span.ts'
import { cutProblems } from '../../../lib/validation/move-aside.ts'
import { firstOf } from '@spoor/payloads/json'
import { type RecordedTrace, recordedTrace } from './recorded-fields.ts'
import { isList, isObject, type JsonObject, parsed, type SpanFields, toText } from './span-fields.ts'
import * as table from './mapping-table.ts'

/** How good a name of a trace is; less is better. Traces are stored with the rank of their name. */
const NAME_RANK = { recorded: -1, given: 0, root: 3, named: 4, span: 5, alike: 6, unnamed: 7 } as const

/** What a span says about its trace. Marks what it uses. Throws BadSpan. */
export function traceFacts(
  span: Span,
  { resource }: SpanOrigin,
  fields: SpanFields,
  isTrace: boolean,
  limits: Limits,
): SpanFacts {
  const recorded = recordedTrace(fields, limits)
  const isRoot = isTrace || (span.parentSpanId === null && span.isPending === undefined)
  const own = recorded?.given.has('name') === true ? recorded.trace.name : isTrace ? filterText(span.name) : null
  const isRunTypeGiven = recorded?.given.has('run_type') === true
  const inFields = (names: readonly string[]) =>
    filterText(fields.useFirstText(names)) ?? filterText(firstOf(names, (name) => toText(resource.get(name))))
  const ownSession = recorded?.trace.sessionId ?? inFields(table.SESSION_ID)
  const ownUser = recorded?.trace.userId ?? inFields(table.USER_ID)
  const metadata = traceMetadata(resource, fields, [ownSession, ownUser])
  const inMetadata = (keys: readonly string[]) => filterText(firstOf(keys, (key) => toText(metadata[key])))
  const sessionId = ownSession ?? inMetadata(table.SESSION_KEYS)
  const userId = ownUser ?? inMetadata(table.USER_KEYS)
  return {
    isRoot,
    ...(own === null ? traceName(span, fields, isRoot) : { name: own, nameRank: NAME_RANK.recorded }),
    runType: isRunTypeGiven ? recorded.trace.runType : runType(fields, isRoot),
    ...(isRunTypeGiven ? { isRunTypeGiven } : {}),
    sessionId,
    userId,
    ...(span.part === undefined || span.parentSpanId !== null ? {} : { partAt: span.part.at }),
    metadata: recorded === null ? metadata : withRecorded(metadata, recorded, limits),
  }
}

function withRecorded(metadata: JsonObject, { trace }: RecordedTrace, limits: Limits): JsonObject {
  const own = JSON.parse(trace.metadata.toString()) as Record<string, Value>
  cutProblems(own, limits.metadataBytes / 8)
  return { ...metadata, ...own }
}

function traceName(span: Span, fields: SpanFields, isRoot: boolean): Pick<SpanFacts, 'name' | 'nameRank'> {
  if (span.isRecords) return { name: span.name, nameRank: NAME_RANK.unnamed }
  const given = filterText(fields.useFirstText([table.TRACE_NAME]))
  if (given !== null) return { name: given, nameRank: NAME_RANK.given }
  if (span.part?.lacks.includes('name') === true) return { name: 'trace', nameRank: NAME_RANK.unnamed }
  const operation = fields.text(table.OPERATION)
  const isAgent = operation === 'invoke_agent' || operation === 'invoke_workflow'
  const isAlike = table.ALIKE_ROOTS.has(span.name)
  const named =
    filterText(fields.useFirstText(table.ROOT_NAMES)) ??
    filterText(isAgent ? fields.text(table.AGENT_NAME) : undefined) ??
    filterText(fields.text(table.FUNCTION_ID)) ??
    (isAlike ? filterText(PROMPT_LINE.exec(fields.text(table.PROMPT) ?? '')?.[1]) : null)
  const name = named ?? filterText(span.name) ?? 'trace'
  if (isRoot) return { name, nameRank: isAlike && named === null ? NAME_RANK.alike : NAME_RANK.root }
  return { name, nameRank: named === null ? NAME_RANK.span : NAME_RANK.named }
}

/** The beginning of a prompt that is not withheld. */
const PROMPT_LINE = /^\s*(?!<)(\S.{0,99})/

function runType(fields: SpanFields, isRoot: boolean): string | null {
  if (fields.has(table.EXPERIMENT)) return 'eval'
  if (!isRoot) return null
  const ofOperation = table.RUN_TYPE_OF_OPERATION.get(fields.text(table.OPERATION) ?? '')
  if (ofOperation !== undefined) return ofOperation
  return fields.text('traceloop.span.kind') === 'workflow' ? 'workflow' : 'agent'
}

/** Names within the prefixes of the metadata that have a field of their own. */
const HAVE_FIELDS: ReadonlySet<string> = new Set([...table.SESSION_ID, ...table.USER_ID])

/** Leaves out a session or user that is a field of the trace. */
function traceMetadata(
  resource: ReadonlyMap<string, Value>,
  fields: SpanFields,
  inFields: readonly (string | null)[],
): Readonly<Record<string, Value>> {
  const metadata = new Map<string, Value>()
  for (const [key, names] of table.METADATA_FIELDS) {
    const name = names.find((one) => resource.has(one) || fields.has(one))
    const value = name === undefined ? undefined : (resource.get(name) ?? fields.use(name))
    if (value !== undefined && !table.UNNAMED_SERVICE.test(String(value))) metadata.set(key, value)
  }
  for (const name of table.METADATA_OBJECTS) {
    const object = parsed(fields.get(name))
    if (!isObject(object)) continue
    fields.use(name)
    const own = Object.entries(object).filter(([key]) => table.NOT_OF_USERS.test(key))
    if (own.length > 0) fields.keep(name, Object.fromEntries(own))
    for (const [key, value] of Object.entries(object)) if (!table.NOT_OF_USERS.test(key)) metadata.set(key, value)
  }
  const tags = table.TAGS.find((name) => tagsOf(fields.get(name)) !== null)
  if (tags !== undefined) metadata.set('tags', tagsOf(fields.use(tags)))
  const done = new Set<string>()
  const set = (name: string, key: string, value: Value) => {
    if (done.has(name) || table.NOT_OF_USERS.test(key)) return
    done.add(name)
    const hasField = HAVE_FIELDS.has(name) && inFields.includes(String(value))
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

/** Tags in a list, or in a text with commas between them, as LangSmith sends them. */
function tagsOf(value: Value | undefined): readonly Value[] | null {
  const tags = parsed(value)
  if (isList(tags)) return tags
  return typeof tags === 'string' && tags !== '' ? tags.split(',').map((tag) => tag.trim()) : null
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
