import { hash } from 'node:crypto'
import {
  type BoundFilterName,
  filterValues,
  negationOf,
  type NegationName,
  type RowFilterName,
} from '@spoor/contract/trace-filters'
import { compactJson } from '../../lib/json/compact-json.ts'
import { JsonScanner } from '../../lib/json/json-scan.ts'
import { toFoundWords } from './search-text.ts'
import { recoveredErrors } from './rollup.ts'
import { findingKindsOf } from './run-calls.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

/**
 * Search terms: what the exact-token index over traces stores and is queried for. A term is a tag, a NUL and the value:
 * `m\0gpt-4o`. Indexing and queries use the same functions, so they cannot diverge. No part between NULs contains a NUL
 * (see `part`), so no value can be mistaken for another tag or key.
 */

/** The prefixes of some fields' terms. */
export const TERM_TAGS = {
  error_type: 'e\0',
  finding: 'i\0',
  name: 'n\0',
  session_id: 'S\0',
  user_id: 'u\0',
  metadata_key: 'h\0',
  /** Texts in the list `tags` of the metadata, as JSON without their first quote. */
  tag: 'l\0tags\0"',
} as const

export const statusTerm = (status: 'ok' | 'error'): string => `s\0${status}`
export const modelTerm = (model: string): string => `m\0${part(model)}`
const errorTypeTerm = (type: string): string => `${TERM_TAGS.error_type}${part(type)}`
export const runTypeTerm = (runType: string): string => `r\0${part(runType)}`
export const nameTerm = (name: string): string => `${TERM_TAGS.name}${part(name)}`
export const sessionTerm = (sessionId: string): string => `${TERM_TAGS.session_id}${part(sessionId)}`
export const userTerm = (userId: string): string => `${TERM_TAGS.user_id}${part(userId)}`
export const flaggedTerm = (): string => 'f'
export const growingTerm = (): string => 'g'
const recoveredTerm = (): string => 'c'
export const findingTerm = (kind: string): string => `${TERM_TAGS.finding}${kind}`

type TermFilterName = Exclude<RowFilterName, BoundFilterName | NegationName>

/** The term of each filter. A trace that passes has it; for a filter with the value false, it must not have it. */
const FILTER_TERMS: { readonly [Name in TermFilterName]: (value: string) => string } = {
  status: (value) => statusTerm(value as 'ok' | 'error'),
  flagged: flaggedTerm,
  growing: growingTerm,
  recovered_errors: recoveredTerm,
  run_type: runTypeTerm,
  model: modelTerm,
  error_type: errorTypeTerm,
  finding: findingTerm,
  name: nameTerm,
  session_id: sessionTerm,
  user_id: userTerm,
  tag: tagTerm,
}
const TERM_FILTERS = Object.keys(FILTER_TERMS) as TermFilterName[]

/** What filters ask of the terms of a trace: one of each group, and none of `none`. */
export interface FilterTerms {
  readonly groups: readonly (readonly string[])[]
  readonly none: readonly string[]
}

/** The terms of these filters; those that are not set ask for nothing. */
export function filterTerms(filters: object): FilterTerms {
  const groups: (readonly string[])[] = []
  const none: string[] = []
  for (const name of TERM_FILTERS) {
    const values = filterValues(filters, name)
    const terms = values.map((value) => FILTER_TERMS[name](String(value)))
    if (values[0] === false) none.push(...terms)
    else if (terms.length > 0) groups.push(terms)
    const negation = negationOf(name)
    if (negation === null) continue
    none.push(...filterValues(filters, negation).map((value) => FILTER_TERMS[name](String(value))))
  }
  return { groups, none }
}

/** A word of a name or of a query. */
export const wordTerm = (word: string): string => `w\0${part(word)}`
/** "The metadata has this key." */
export const metadataKeyTerm = (key: string): string => keyTerm(JSON.stringify(key))

/**
 * "The metadata has this key with this value": any one of the terms matches. A value is found by its JSON text, a
 * string also by its content: `prod` finds "prod", `1` finds the number 1 and the string "1", `"1"` finds the string
 * "1" (and the string that contains those quotes). A whole number is found with and without `.0`, which Python writes.
 * A list is found by each of its elements too.
 */
export function metadataValueTerms(key: string, value: string): string[] {
  const quotedKey = JSON.stringify(key)
  const texts = [JSON.stringify(value)]
  const json = canonicalJson(value)
  if (json !== null) texts.push(json)
  const whole = WHOLE_NUMBER.exec(json ?? '')?.[1]
  if (whole !== undefined) texts.push(whole === json ? `${whole}.0` : whole)
  return texts.flatMap((text) => [valueTerm(quotedKey, text), elementTerm(quotedKey, text)])
}

const WHOLE_NUMBER = /^(-?\d+)(?:\.0)?$/

/** The filter by a metadata key, and by its value if that is not null: any one of the terms matches. */
export function metadataFilterTerms(key: string, value: string | null): string[] {
  return value === null ? [metadataKeyTerm(key)] : metadataValueTerms(key, value)
}

/** The part of a term that stands for this key. */
export const metadataKeyPart = (key: string): string => part(JSON.stringify(key).slice(1, -1))

/**
 * The value of a term with that prefix, in the form that a filter accepts. Each value has one text: a string its
 * content, unless the content is itself JSON (`prod`, but `"1"`); anything else its JSON text. Values too long for a
 * term are shown as `sha256:` and their hash.
 */
export function metadataValueLabel(stored: string): string {
  if (stored.startsWith('\0')) return `sha256:${stored.slice(1)}`
  if (!stored.startsWith('"')) return stored
  const content = JSON.parse(stored) as string
  return canonicalJson(content) === null ? content : stored
}

/** The key in a `metadataKeyTerm`, given without its tag and not hashed. */
export function metadataKeyLabel(stored: string): string {
  return JSON.parse(`"${stored}"`) as string
}

/** Terms of everything the list filters by, except the words of the name. */
export function traceTerms(trace: TermSource): string[] {
  const terms = [statusTerm(trace.status), runTypeTerm(trace.runType), nameTerm(trace.name)]
  if (trace.flagged) terms.push(flaggedTerm())
  if (trace.growing) terms.push(growingTerm())
  if (recoveredErrors(trace) > 0) terms.push(recoveredTerm())
  if (trace.sessionId !== null) terms.push(sessionTerm(trace.sessionId))
  if (trace.userId !== null) terms.push(userTerm(trace.userId))
  for (const model of trace.models) terms.push(modelTerm(model))
  for (const type of trace.digest.errorTypes) terms.push(errorTypeTerm(type))
  const kinds = findingKindsOf(trace.digest.calls)
  for (const kind of kinds) terms.push(findingTerm(kind))
  if (kinds.length > 0) terms.push(findingTerm('any'))
  for (const term of metadataTerms(trace.metadata)) terms.push(term)
  return terms
}

type TermSource = Pick<
  TraceRecord,
  | 'status'
  | 'failedSteps'
  | 'flagged'
  | 'growing'
  | 'runType'
  | 'name'
  | 'sessionId'
  | 'userId'
  | 'models'
  | 'metadata'
  | 'digest'
>

/** Terms of the words in a trace's name, for full-text search. */
export function nameWords(name: string): string[] {
  return toFoundWords(name).map(wordTerm)
}

/**
 * Terms of a metadata object, given as its raw bytes, which MUST be valid JSON. The last of duplicate keys wins, as in
 * JSON.parse.
 */
export function metadataTerms(bytes: Buffer): string[] {
  return toTerms(valueTermsOf(bytes))
}

/**
 * Returns a function for the terms of metadata objects that inherit the keys they lack from `inherited`, which is
 * parsed once. Objects without keys of their own share its terms.
 */
export function termsWithInherited(inherited: Buffer): (own: Buffer) => readonly string[] {
  const below = valueTermsOf(inherited)
  const shared = toTerms(below)
  return (own) => {
    const values = valueTermsOf(own)
    return values.size === 0 ? shared : toTerms(new Map([...below, ...values]))
  }
}

/** The terms of each value, by its key as canonical JSON. */
function valueTermsOf(bytes: Buffer): ReadonlyMap<string, readonly string[]> {
  const scanner = new JsonScanner(bytes, ANY_DEPTH)
  const values = new Map<string, readonly string[]>()
  scanner.enterObject()
  while (scanner.nextMember()) {
    const quotedKey = canonicalString(bytes.toString('utf8', scanner.keyStart, scanner.keyEnd))
    const start = scanner.position
    scanner.skipValue()
    const sent = bytes.subarray(start, scanner.position)
    const text = sent.toString()
    const elements = text.startsWith('[') ? elementTerms(quotedKey, sent) : []
    values.set(quotedKey, [valueTerm(quotedKey, canonicalValue(text)), ...elements])
  }
  return values
}

/** Elements of a list that have terms; a list of more is found by the first of them. */
const MOST_ELEMENTS = 100

/** The terms of the elements of a list, given as its bytes. */
function elementTerms(quotedKey: string, list: Buffer): readonly string[] {
  const scanner = new JsonScanner(list, ANY_DEPTH)
  const terms = new Set<string>()
  scanner.enterArray()
  for (let count = 0; count < MOST_ELEMENTS && scanner.nextElement(); count++) {
    const start = scanner.position
    scanner.skipValue()
    terms.add(elementTerm(quotedKey, canonicalValue(list.toString('utf8', start, scanner.position))))
  }
  return [...terms]
}

function canonicalValue(text: string): string {
  return text.startsWith('"') ? canonicalString(text) : compactJson(text)
}

function toTerms(values: ReadonlyMap<string, readonly string[]>): string[] {
  const terms = [...values.values()].flat()
  for (const quotedKey of values.keys()) terms.push(keyTerm(quotedKey))
  return terms
}

/** A term of `metadataValueTerms`; group 1 is the part of its key, group 2 that of its value. */
const METADATA_VALUE = /^k\0(\0[\w-]{43}|[^\0]*)\0(.*)$/s

/**
 * Of a term of `metadataValueTerms` the part of the key and that of the value, otherwise null. An element of a list is
 * a key of its own, which begins with a NUL and contains another.
 */
export function metadataOfTerm(term: string): readonly [key: string, value: string] | null {
  if (term.startsWith(ELEMENT_TAG)) return [term.slice(1), '1']
  const match = METADATA_VALUE.exec(term)
  return match === null ? null : [match[1] as string, match[2] as string]
}

/** Depth was limited at intake, and the scanner's memory does not depend on it. */
const ANY_DEPTH = Infinity

/**
 * The canonical text of a JSON value: no white space outside strings, only necessary escapes in a string. Null when
 * `text` is not JSON.
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

/** A valid JSON string without a backslash is already canonical: it contains nothing that must be escaped. */
function canonicalString(quoted: string): string {
  return quoted.includes('\\') ? JSON.stringify(JSON.parse(quoted)) : quoted
}

function keyTerm(quotedKey: string): string {
  return `${TERM_TAGS.metadata_key}${part(quotedKey.slice(1, -1))}`
}

function valueTerm(quotedKey: string, json: string): string {
  return `k\0${part(quotedKey.slice(1, -1))}\0${part(json)}`
}

const ELEMENT_TAG = 'l\0'

function elementTerm(quotedKey: string, json: string): string {
  return `${ELEMENT_TAG}${part(quotedKey.slice(1, -1))}\0${part(json)}`
}

/** "The list `tags` of the metadata has this text." */
function tagTerm(tag: string): string {
  return elementTerm('"tags"', JSON.stringify(tag))
}

/** Longest part stored as it is, bytes. With tag, key and value, a term stays below 256. */
const LONGEST_PART_BYTES = 124

/**
 * One part of a term. Long values, and those that contain a NUL, become a NUL and a hash. A plain value cannot begin
 * with a NUL.
 */
export function part(value: string): string {
  const isShort = 3 * value.length <= LONGEST_PART_BYTES || Buffer.byteLength(value) <= LONGEST_PART_BYTES
  return isShort && !value.includes('\0') ? value : `\0${hash('sha256', value, 'base64url')}`
}
