import { hash } from 'node:crypto'
import type { RowFilterName } from '@spoor/contract/trace-filters'
import { compactJson } from '../../lib/json/compact-json.ts'
import { JsonScanner } from '../../lib/json/json-scan.ts'
import { toSearchWords } from './search-text.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

/**
 * Search terms: what the exact-token index over traces holds and is asked for. A term is a tag, a NUL and the value:
 * `m\0gpt-4o`. Both sides come from the functions here, so that they cannot drift apart. Every part between NULs is
 * free of NUL itself (see `part`): no value can pass for another tag or key.
 */

/**
 * The versions of the rules in this file: of each the tags whose terms it changed. Add a line with every change that
 * makes other terms of the same trace or metadata, with each tag that stored rows then lack or have otherwise (`w` too
 * when the rules of search-text.ts change). Rows have the number of the rules that made their terms; those of earlier
 * rules are rewritten (storage/clickhouse/search/).
 */
export const TERM_RULES: readonly (readonly string[])[] = [
  ['s\0', 'r\0', 'n\0', 'f', 'S\0', 'u\0', 'm\0', 'h\0', 'k\0', 'w\0'],
]

/** What the terms of some fields begin with. */
export const TERM_TAGS = { name: 'n\0', session_id: 'S\0', user_id: 'u\0', metadata_key: 'h\0' } as const

export const statusTerm = (status: 'ok' | 'error'): string => `s\0${status}`
export const modelTerm = (model: string): string => `m\0${part(model)}`
export const runTypeTerm = (runType: string): string => `r\0${part(runType)}`
export const nameTerm = (name: string): string => `${TERM_TAGS.name}${part(name)}`
export const sessionTerm = (sessionId: string): string => `${TERM_TAGS.session_id}${part(sessionId)}`
export const userTerm = (userId: string): string => `${TERM_TAGS.user_id}${part(userId)}`
export const flaggedTerm = (): string => 'f'

/** The term that a trace which passes a filter has. Of a filter with false it has not that of true. */
export const FILTER_TERMS: { readonly [Name in RowFilterName]: (value: string) => string } = {
  status: (value) => statusTerm(value as 'ok' | 'error'),
  flagged: flaggedTerm,
  run_type: runTypeTerm,
  model: modelTerm,
  name: nameTerm,
  session_id: sessionTerm,
  user_id: userTerm,
}
export const ROW_FILTERS = Object.keys(FILTER_TERMS) as RowFilterName[]

/** A word that `toSearchWords` has made. */
export const wordTerm = (word: string): string => `w\0${part(word)}`
/** "The metadata has this key." */
export const metadataKeyTerm = (key: string): string => keyTerm(JSON.stringify(key))

/**
 * "The metadata has this key with this value": any of the terms says so. A value is found by its JSON text, a string
 * also by its content: `prod` finds "prod", `1` finds the number 1 and the string "1", `"1"` finds the string "1" (and
 * the string that has those quotes in it).
 */
export function metadataValueTerms(key: string, value: string): string[] {
  const quotedKey = JSON.stringify(key)
  const terms = [valueTerm(quotedKey, JSON.stringify(value))]
  const json = canonicalJson(value)
  if (json !== null) terms.push(valueTerm(quotedKey, json))
  return terms
}

/** The filter by a metadata key, and by its value where that is not null: any of the terms says so. */
export function metadataFilterTerms(key: string, value: string | null): string[] {
  return value === null ? [metadataKeyTerm(key)] : metadataValueTerms(key, value)
}

/** What the term of this key and its value begins with, whatever the value. */
export const metadataValuePrefix = (key: string): string => `k\0${part(JSON.stringify(key).slice(1, -1))}\0`

/**
 * The value of a term that begins with that prefix, as a filter takes it, and one text for each value: a string by its
 * content unless that is itself the JSON text of something (`prod`, but `"1"`), anything else by its JSON text. Values
 * too long for a term are told apart by `sha256:` and their hash.
 */
export function metadataValueLabel(term: string, prefix: string): string {
  const stored = term.slice(prefix.length)
  if (stored.startsWith('\0')) return `sha256:${stored.slice(1)}`
  if (!stored.startsWith('"')) return stored
  const content = JSON.parse(stored) as string
  return canonicalJson(content) === null ? content : stored
}

/** The key that a `metadataKeyTerm` has behind its tag, of one that is not hashed. */
export function metadataKeyLabel(stored: string): string {
  return JSON.parse(`"${stored}"`) as string
}

/** The name that a `nameTerm` holds; one too long for a term as `metadataValueLabel` shows values. */
export function nameLabel(term: string): string {
  const stored = term.slice(2)
  return stored.startsWith('\0') ? `sha256:${stored.slice(1)}` : stored
}

/** Terms of everything the feed filters by, the words of the name apart. */
export function traceTerms(trace: TermSource): string[] {
  const terms = [statusTerm(trace.status), runTypeTerm(trace.runType), nameTerm(trace.name)]
  if (trace.flagged) terms.push(flaggedTerm())
  if (trace.sessionId !== null) terms.push(sessionTerm(trace.sessionId))
  if (trace.userId !== null) terms.push(userTerm(trace.userId))
  for (const model of trace.models) terms.push(modelTerm(model))
  for (const term of metadataTerms(trace.metadata)) terms.push(term)
  return terms
}

type TermSource = Pick<
  TraceRecord,
  'status' | 'flagged' | 'runType' | 'name' | 'sessionId' | 'userId' | 'models' | 'metadata'
>

/** Terms of the words in a trace's name, for full-text search. */
export function nameWords(name: string): string[] {
  return toSearchWords(name).map(wordTerm)
}

/**
 * Terms of a metadata object, given as its raw bytes, which MUST be valid JSON. Of a key given twice the last value
 * counts, as JSON.parse has it.
 */
export function metadataTerms(bytes: Buffer): string[] {
  return toTerms(valueTermsOf(bytes))
}

/**
 * Terms of metadata objects that take over from `inherited` the keys they lack. That one is read once, however many
 * there are; those that say nothing of their own share its terms.
 */
export function metadataHeirs(inherited: Buffer): (own: Buffer) => readonly string[] {
  const below = valueTermsOf(inherited)
  const shared = toTerms(below)
  return (own) => {
    const values = valueTermsOf(own)
    return values.size === 0 ? shared : toTerms(new Map([...below, ...values]))
  }
}

/** The term of each value, by its key as canonical JSON. */
function valueTermsOf(bytes: Buffer): ReadonlyMap<string, string> {
  const scanner = new JsonScanner(bytes, ANY_DEPTH)
  const values = new Map<string, string>()
  scanner.enterObject()
  while (scanner.nextMember()) {
    const quotedKey = canonicalString(bytes.toString('utf8', scanner.keyStart, scanner.keyEnd))
    const start = scanner.position
    scanner.skipValue()
    const text = bytes.toString('utf8', start, scanner.position)
    values.set(quotedKey, valueTerm(quotedKey, text.startsWith('"') ? canonicalString(text) : compactJson(text)))
  }
  return values
}

function toTerms(values: ReadonlyMap<string, string>): string[] {
  const terms = [...values.values()]
  for (const quotedKey of values.keys()) terms.push(keyTerm(quotedKey))
  return terms
}

/** Depth was judged when the metadata came in; the scanner takes the same memory at any. */
const ANY_DEPTH = Infinity

/**
 * The one text of a JSON value: no white space outside strings; a string with only the escapes it needs. Null when
 * `text` is no JSON.
 */
function canonicalJson(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? JSON.stringify(value) : compactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** A valid JSON string without a backslash is canonical already: what must be escaped cannot stand in it otherwise. */
function canonicalString(quoted: string): string {
  return quoted.includes('\\') ? JSON.stringify(JSON.parse(quoted)) : quoted
}

function keyTerm(quotedKey: string): string {
  return `${TERM_TAGS.metadata_key}${part(quotedKey.slice(1, -1))}`
}

function valueTerm(quotedKey: string, json: string): string {
  return `k\0${part(quotedKey.slice(1, -1))}\0${part(json)}`
}

/** Longest part kept as it is, bytes: with tag, key and value a term stays below 256. */
const LONGEST_PART_BYTES = 124

/**
 * One part of a term. Long values, and those that hold a NUL, are replaced by a hash behind a NUL, where no plain value
 * can stand.
 */
function part(value: string): string {
  const isShort = 3 * value.length <= LONGEST_PART_BYTES || Buffer.byteLength(value) <= LONGEST_PART_BYTES
  return isShort && !value.includes('\0') ? value : `\0${hash('sha256', value, 'base64url')}`
}
