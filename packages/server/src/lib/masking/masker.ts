import type { Detector, Masking } from '@spoor/contract/schemas/masking'
import { JsonScanner } from '../json/json-scan.ts'
import { compilePattern } from './compile-pattern.ts'
import { type Detect, DETECT, MOST_MATCHES } from './detectors.ts'
import { pathAt, type Place, placeAtRoot, placeBelow, toFieldPath } from './field-paths.ts'

/** One masked text: the rule, the whole text, and the masked part of it. */
export interface Hit {
  readonly rule: string
  readonly place: string
  readonly text: string
  readonly start: number
  readonly end: number
}

export type OnHit = (hit: Hit) => void

export const ignoreHit: OnHit = () => undefined

/** How deep objects, lists and texts that are JSON may nest, all together. What is beyond is read as a plain text. */
const MOST_DEPTH = 1000
/** Levels that a text of JSON counts as. */
const TEXT_LEVELS = 10
/** Of a path in a mark, characters. */
const MOST_NAME = 40
/** By how many characters masking may lengthen a JSON text before its marks have no name. */
const MOST_GROWTH = 1024 * 1024
/** Characters of texts without a match that all maskers of a thread remember, and what counts for each text. */
const MOST_CLEAN = 1024 * 1024
const TEXT_LENGTH = 50
/** Names of members whose texts say how the rest is read: only detectors and patterns mask these texts. */
const KEEPS: ReadonlySet<string> = new Set(['role', 'type'])
/** What the service reads again, by the path around it: counts, and how a step or score came. */
const UNREAD: Readonly<Record<string, readonly string[]>> = {
  '': ['token_usage'],
  metadata: ['spoor.part', 'score_id'],
  'metadata.otel.log_records': ['id', 'time_unix_nano', 'at'],
}

/** The texts of each masker that remembers some, and the characters of all. */
const clean = { texts: new Set<Set<string>>(), length: 0 }

/** The compiled rules of a project. */
export class Masker {
  readonly #detectors: readonly (readonly [name: string, detect: Detect])[]
  readonly #remembers: boolean
  readonly #root: Place
  readonly #marks: ReadonlySet<string>
  /** Texts without a match: each call of a model repeats those of the conversation so far. */
  readonly #clean = new Set<string>()
  /** Characters by which the marks of the present JSON text are longer than what they replace. */
  #growth = 0

  constructor(
    detectors: readonly (readonly [name: string, detect: Detect])[],
    fields: readonly string[],
    remembers: boolean,
  ) {
    this.#detectors = detectors
    this.#remembers = remembers
    this.#root = placeAtRoot(fields.map(toFieldPath))
    this.#marks = new Set([...detectors.map(([name]) => name), ...fields].map(toMark))
  }

  /** A text that is a member `key` of the outermost object. `onlyFields`: detectors and patterns do not read it. */
  text(text: string, key: string, onHit: OnHit, { onlyFields = false } = {}): string {
    const name = pathAt(placeBelow(this.#root, key))
    this.#growth = 0
    if (name !== null) return this.#wholly(name, text, key, onHit)
    return onlyFields ? text : this.#inText(text, key, onHit)
  }

  /**
   * A JSON text of a valid object with the members that are masked; the same bytes if nothing is. Everything else stays
   * as it is, byte for byte. `key`: the member of the outermost object whose value it is.
   */
  json(bytes: Buffer, key: string | null, onHit: OnHit): Buffer {
    const place = key === null ? this.#root : placeBelow(this.#root, key)
    this.#growth = 0
    const masked = this.#inJson(bytes, place, key ?? '', 0, onHit)
    if (masked === null) throw new Error('a stored JSON text nests too deep to be masked')
    return masked
  }

  /** Null for a text that nests too deep. */
  #inJson(bytes: Buffer, place: Place, path: string, depth: number, onHit: OnHit): Buffer | null {
    const scanner = new JsonScanner(bytes, MOST_DEPTH - depth)
    const parts: Buffer[] = []
    let copied = 0
    this.#walk(scanner, { place, path, isKept: false }, depth, onHit, (start, end, value) => {
      parts.push(bytes.subarray(copied, start), Buffer.from(value))
      copied = end
    })
    if (scanner.failure !== null) return null
    return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(copied)])
  }

  #walk(scanner: JsonScanner, { place, path, isKept }: At, depth: number, onHit: OnHit, replace: Replace): void {
    if (scanner.enterObject()) {
      while (scanner.nextMember()) {
        const key = keyOf(scanner)
        const keeps = KEEPS.has(key) && pathAt(place) !== null
        if (UNREAD[path]?.includes(key) === true) scanner.skipValue()
        else {
          const below = { place: placeBelow(place, key), path: path === '' ? key : `${path}.${key}`, isKept: keeps }
          this.#walk(scanner, below, depth + 1, onHit, replace)
        }
      }
    } else if (scanner.enterArray()) {
      while (scanner.nextElement()) this.#walk(scanner, { place, path, isKept: false }, depth + 1, onHit, replace)
    } else {
      const start = scanner.position
      scanner.skipValue()
      const sent = scanner.bytes.toString('utf8', start, scanner.position)
      const masked = this.#leaf(sent, isKept ? [] : place, path, depth, onHit)
      if (masked !== null) replace(start, scanner.position, masked)
    }
  }

  /** The JSON text of the masked value; null if it stays. */
  #leaf(sent: string, place: Place, path: string, depth: number, onHit: OnHit): string | null {
    const isText = sent.startsWith('"')
    if (!isText && !/^[-\d]/.test(sent)) return null
    const text = isText ? (sent.includes('\\') ? (JSON.parse(sent) as string) : sent.slice(1, -1)) : sent
    const name = pathAt(place)
    const masked =
      name === null
        ? ((isText ? this.#nested(text, place, path, depth, onHit) : null) ?? this.#inText(text, path, onHit))
        : this.#wholly(name, text, path, onHit)
    return masked === text ? null : JSON.stringify(masked)
  }

  /** A text that is JSON, such as the arguments of a call, stays JSON. Null for any other text. */
  #nested(text: string, place: Place, path: string, depth: number, onHit: OnHit): string | null {
    if (depth + TEXT_LEVELS >= MOST_DEPTH || !/^\s*[[{]/.test(text) || !isJson(text)) return null
    const bytes = Buffer.from(text)
    const masked = this.#inJson(bytes, place, path, depth + TEXT_LEVELS, onHit)
    return masked === bytes ? text : (masked?.toString() ?? null)
  }

  #inText(text: string, place: string, onHit: OnHit): string {
    if (this.#clean.has(text)) return text
    const found = this.#detectors
      .flatMap(([rule, detect]) => detect(text).map(([start, end]) => ({ rule, start, end })))
      .filter(this.#outsideMarks(text))
    if (found.length === 0) {
      this.#keepClean(text)
      return text
    }
    if (found.length > MOST_MATCHES) return this.#wholly(found[0]!.rule, text, place, onHit)
    let [masked, copied] = ['', 0]
    for (const { rule, start, end } of joined(found)) {
      onHit({ rule, place, text, start, end })
      masked += text.slice(copied, start) + this.#mark(rule, end - start)
      copied = end
    }
    return masked + text.slice(copied)
  }

  #keepClean(text: string): void {
    const length = text.length + TEXT_LENGTH
    if (!this.#remembers || length > MOST_CLEAN) return
    if (clean.length + length > MOST_CLEAN) {
      for (const texts of clean.texts) texts.clear()
      clean.texts.clear()
      clean.length = 0
    }
    this.#clean.add(text)
    clean.texts.add(this.#clean)
    clean.length += length
  }

  /** What was masked before is not masked again. */
  #outsideMarks(text: string): (range: Found) => boolean {
    if (!text.includes('[masked:')) return () => true
    const marks = Array.from(text.matchAll(/\[masked:[^\]]{1,200}\]/g)).filter(([mark]) => this.#marks.has(mark))
    return ({ start, end }) => !marks.some(({ 0: mark, index }) => start >= index && end <= index + mark.length)
  }

  #wholly(rule: string, text: string, place: string, onHit: OnHit): string {
    if (text === '' || this.#marks.has(text)) return text
    onHit({ rule, place, text, start: 0, end: text.length })
    return this.#mark(rule, text.length)
  }

  #mark(rule: string, replaced: number): string {
    if (this.#growth > MOST_GROWTH) return '[masked]'
    const mark = toMark(rule)
    this.#growth += mark.length - replaced
    return mark
  }
}

/** Where the walk is; `isKept`: a text here is masked by no path. */
interface At {
  readonly place: Place
  readonly path: string
  readonly isKept: boolean
}

type Replace = (start: number, end: number, value: string) => void

interface Found {
  readonly rule: string
  readonly start: number
  readonly end: number
}

/** In order; those that overlap become one with the rule of the first. */
function joined(found: readonly Found[]): readonly Found[] {
  const all: Found[] = []
  for (const next of found.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1)
    if (last === undefined || next.start >= last.end) all.push(next)
    else if (next.end > last.end) all[all.length - 1] = { ...last, end: next.end }
  }
  return all
}

function toMark(rule: string): string {
  return `[masked:${rule.slice(0, MOST_NAME)}]`
}

function keyOf({ bytes, keyStart, keyEnd }: JsonScanner): string {
  const key = bytes.toString('utf8', keyStart, keyEnd)
  return key.includes('\\') ? (JSON.parse(key) as string) : key.slice(1, -1)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const NONE = Promise.resolve(null)
/** Compiled rules by their JSON: few projects have any. */
const compiled = new Map<string, Promise<Masker>>()
const MOST_COMPILED = 100

/** Resolves with null if nothing is masked. The rules MUST be valid. */
export function compileMasking(masking: Masking | null): Promise<Masker | null> {
  if (masking === null || isEmpty(masking)) return NONE
  const key = JSON.stringify(masking)
  const known = compiled.get(key)
  if (known !== undefined) return known
  if (compiled.size === MOST_COMPILED) compiled.clear()
  const masker = compileNew(masking, true)
  compiled.set(key, masker)
  return masker
}

/** As `compileMasking`, but nothing remembers the rules or texts: for rules that are tried. */
export function compileTried(masking: Masking): Promise<Masker | null> {
  return isEmpty(masking) ? NONE : compileNew(masking, false)
}

function isEmpty({ fields, detectors, patterns }: Masking): boolean {
  return fields.length + detectors.length + patterns.length === 0
}

async function compileNew({ fields, detectors, patterns }: Masking, remembers: boolean): Promise<Masker> {
  const own = await Promise.all(
    patterns.map(async ({ name, pattern }): Promise<readonly [string, Detect]> => {
      const detect = await compilePattern(pattern)
      if (typeof detect === 'string') throw new Error(`a stored pattern is refused: ${detect}`)
      return [name, detect]
    }),
  )
  return new Masker([...detectors.map((name: Detector) => [name, DETECT[name]] as const), ...own], fields, remembers)
}
