import type { FieldError } from '@spoor/contract/errors'
import type { Limits } from '@spoor/contract/limits'
import { isRawNumber } from '@spoor/payloads/exact-json'
import { cutText, shortened } from '../json/shortened.ts'
import { shorten } from './field-errors.ts'

/** A key of metadata: the values that were moved aside, each with its place, the reason, and the value as sent. */
const PROBLEMS = 'spoor.problems'
/** A key of metadata: the keys that metadata has no room for. */
export const MORE_METADATA = 'otel.more_attributes'

export interface Problem {
  /** With dots, for example `token_usage.input`. */
  readonly field: string
  readonly problem: string
  readonly value?: unknown
}

type Json = Record<string, unknown>
type Path = readonly string[]
export type AsideLimits = Pick<Limits, 'metadataKeys' | 'metadataKeyLength' | 'metadataBytes' | 'jsonDepth'>

/** Stands for an element that was taken out until its array is closed up, so that the places of others stay right. */
const GONE = Symbol('gone')
/** Code points of a name. */
const LONGEST_TEXT = 1000
const LONGEST_VALUE = 100_000

/**
 * Removes the values that `errors` name from the body of a trace or a step, or shortens them, and records them in the
 * metadata of their step or trace. Changes `body`. A body can have more errors than one answer names, and the remaining
 * values may break another rule: parse it again, and call this again. `wholly` takes out whole fields, so that no
 * number of errors in one of them is too many. Returns the fields of `body` that it has changed.
 */
export function moveAside(
  body: Json,
  errors: readonly Pick<FieldError, 'pointer' | 'code' | 'detail'>[],
  limits: AsideLimits,
  wholly = false,
): ReadonlySet<string> {
  const changed = new Set<string>()
  const done = new Set<string>()
  for (const { pointer, code, detail } of errors) {
    const path = pointer
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const ofStep = path[0] === 'steps' && isObject(at(body, path.slice(0, 2)))
    const home = ofStep ? (at(body, path.slice(0, 2)) as Json) : body
    const within = ofStep ? path.slice(2) : path
    changed.add(ofStep ? 'steps' : (within[0] ?? ''))
    const ofField = `${path.slice(0, ofStep ? 3 : 1)}`
    if (wholly && done.has(ofField)) continue
    done.add(ofField)
    mend(home, within, { code, detail }, limits, wholly)
  }
  if (changed.delete('')) for (const key of Object.keys(body)) changed.add(key)
  closeUp(body)
  return changed.add('metadata')
}

/** Adds to the problems in the metadata. Metadata that is no object is a problem itself. */
export function tellProblem(home: Json, problem: Problem): void {
  const { metadata } = home
  if (!isObject(metadata)) {
    home['metadata'] = { [PROBLEMS]: [problem] }
    if (metadata !== undefined)
      tellProblem(home, { field: 'metadata', problem: 'It must be an object.', value: metadata })
    return
  }
  const told = metadata[PROBLEMS]
  if (!Array.isArray(told)) metadata[PROBLEMS] = told === undefined ? [problem] : [told, problem]
  else if (told.length < MOST_TOLD) told.push(problem)
}

/** More than any sender means to send. */
const MOST_TOLD = 1000

/** Both merged; `first` wins if both have a key. Problems and surplus keys of both are combined. */
export function joinMetadata(first: Readonly<Json>, second: Readonly<Json>): Json {
  const joined: Json = { ...second, ...first }
  const told = [second[PROBLEMS], first[PROBLEMS]].filter((one) => one !== undefined)
  // A repeated span has the same problems.
  const each = new Map(told.length < 2 ? [] : told.flat().map((one) => [JSON.stringify(one), one]))
  if (told.length > 1) joined[PROBLEMS] = [...each.values()].slice(0, MOST_TOLD)
  const [more, other] = [first[MORE_METADATA], second[MORE_METADATA]]
  if (isObject(more) && isObject(other)) joined[MORE_METADATA] = { ...other, ...more }
  return joined
}

/** For metadata that lists show: problems have at most so many bytes, and values are cut. */
export function cutProblems(metadata: Json, mostBytes: number): void {
  const told = metadata[PROBLEMS]
  if (told === undefined || Buffer.byteLength(JSON.stringify(told)) <= mostBytes) return
  metadata[PROBLEMS] = shortened(told, mostBytes)?.value ?? ['There were too many problems to tell.']
}

function mend(
  home: Json,
  path: Path,
  { code, detail }: Pick<FieldError, 'code' | 'detail'>,
  limits: AsideLimits,
  wholly: boolean,
): void {
  const [field, key] = path
  const tell = (value?: unknown) =>
    tellProblem(home, { field: path.join('.'), problem: detail, ...(value === undefined ? {} : { value }) })
  if (field === undefined) {
    if (code !== 'too_deep') return
    for (const [name, value] of Object.entries(home)) {
      const flat = flattened(value, limits.jsonDepth - DEPTH_OF_VALUES)
      if (flat === value) continue
      home[name] = flat
      tellProblem(home, { field: name, problem: 'What was nested too deeply is a text of JSON.' })
    }
    return
  }
  const value = at(home, path)
  // Of fields that occur twice the last one is there now.
  if (code === 'duplicate_field') return tell()
  if (field === 'metadata' && isObject(home['metadata'])) {
    if (code === 'too_many') moveKeys(home['metadata'], limits.metadataKeys)
    else if (key !== undefined) {
      const isLong = (one: string) => one.length > limits.metadataKeyLength || shorten(one) === key
      moveKeys(home['metadata'], Infinity, isLong)
    } else {
      const short = shortened(home['metadata'], limits.metadataBytes / 2)
      const all = home['metadata']
      home['metadata'] = short?.value ?? {}
      const problem = `${detail} ${short?.said ?? 'It was left out.'}`
      return tellProblem(home, {
        field,
        problem,
        ...(short === null ? { value: cutText(JSON.stringify(all), 4096) } : {}),
      })
    }
    return tell()
  }
  if (key === undefined && typeof value === 'string' && SHORTENED.has(field)) {
    const clean = value.slice(0, LONGEST_VALUE).toWellFormed().replaceAll('\0', '')
    const text = Array.from(clean.slice(0, 2 * LONGEST_TEXT))
      .slice(0, LONGEST_TEXT)
      .join('')
    if (text !== '' && text !== value) {
      home[field] = text
      return tell(value)
    }
  }
  if (wholly && field === 'messages' && Array.isArray(home[field])) {
    const good = home[field].filter(isMessage)
    if (good.length < home[field].length) {
      tell(home[field].filter((one) => !isMessage(one)))
      home[field] = good
      return
    }
  }
  // An object that lacks a field is removed itself.
  const deepest = code === 'required' ? path.slice(0, -1) : path
  const out = deepest.slice(0, wholly ? 1 : 2)
  const found = at(home, out)
  // An error before has taken it out.
  if (found === undefined || found === GONE) return
  if (found !== home) remove(home, out)
  tell(found === home ? undefined : found)
  if (field === 'name' && home['name'] === undefined) home['name'] = 'unnamed'
}

/** By the schema of messages. */
function isMessage(value: unknown): boolean {
  if (!isObject(value) || typeof value['role'] !== 'string') return false
  const { content } = value
  if (content === undefined) return true
  const isPart = (part: unknown) =>
    isObject(part) && typeof part['type'] === 'string' && ['string', 'undefined'].includes(typeof part['text'])
  return Array.isArray(content) && content.every(isPart)
}

/** A value that is moved aside stands three levels deeper than it stood, in a trace two more. */
export const DEPTH_OF_VALUES = 6
const SHORTENED: ReadonlySet<string> = new Set(['name', 'model', 'session_id', 'user_id'])

/** Leaves room for the problems; if that is not enough, all surplus keys are removed. */
function moveKeys(metadata: Json, most: number, goes: (key: string) => boolean = () => false): void {
  const room = Object.hasOwn(metadata, MORE_METADATA) ? 0 : most - 2
  const more: [string, unknown][] = []
  let kept = 0
  for (const [key, value] of Object.entries(metadata)) {
    if (key === PROBLEMS || key === MORE_METADATA) continue
    if (!goes(key) && (most === Infinity || kept++ < room)) continue
    more.push([key, value])
    delete metadata[key]
  }
  const before = metadata[MORE_METADATA]
  const kind = before === undefined || isObject(before) ? before : { [MORE_METADATA]: before }
  metadata[MORE_METADATA] = { ...kind, ...Object.fromEntries(more) }
}

/** The same value where it is not too deep. */
export function flattened(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  if (levels <= 0) return printed(value)
  if (Array.isArray(value)) {
    const flat = value.map((one) => flattened(one, levels - 1))
    return flat.some((one, index) => one !== value[index]) ? flat : value
  }
  const entries = Object.entries(value)
  const flat = entries.map(([key, one]) => [key, flattened(one, levels - 1)] as const)
  return flat.some(([, one], index) => one !== entries[index]![1]) ? Object.fromEntries(flat) : value
}

/** JSON of any value. Of one with thousands of levels a word. */
export function printed(value: unknown): string {
  try {
    return cutText(JSON.stringify(value) ?? '', 65_536)
  } catch (error) {
    // Printing recurses: thousands of levels.
    if (!(error instanceof RangeError)) throw error
    return '[nested too deeply to be printed]'
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined where there is nothing. Pointers have shortened keys. */
function at(value: unknown, path: Path): unknown {
  let found = value
  for (const segment of path) {
    if (typeof found !== 'object' || found === null) return undefined
    const holder = found as Json
    found =
      holder[
        Object.hasOwn(holder, segment) ? segment : (Object.keys(holder).find((key) => shorten(key) === segment) ?? '')
      ]
  }
  return found
}

function remove(home: Json, path: Path): void {
  const holder = at(home, path.slice(0, -1))
  const last = path.at(-1)!
  if (Array.isArray(holder)) holder[Number(last)] = GONE
  else if (isObject(holder)) for (const key of Object.keys(holder)) if (shorten(key) === last) delete holder[key]
}

function closeUp(body: Json): void {
  for (const [key, value] of Object.entries(body)) {
    if (!Array.isArray(value)) continue
    if (value.includes(GONE)) body[key] = value.filter((one) => one !== GONE)
    if (key === 'steps') for (const step of value) if (isObject(step)) closeUp(step)
  }
}
