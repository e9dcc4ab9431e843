import type { ErrorCode, FieldError } from '@spoor/contract/errors'
import { nearestName } from './nearest-name.ts'

/** The place of a value in a body. Linked to its parent, so that a pointer is only built for an error. */
export interface Place {
  readonly parent: Place | null
  readonly key: string | number
}

export interface FieldErrorOptions {
  /** `query`, `headers`: the first key of a place is a name, and the pointer only has that. */
  readonly of?: 'body' | 'query' | 'headers'
  /** Hints for unknown fields, by name, instead of the nearest known name. */
  readonly hints?: Readonly<Record<string, string>>
}

/**
 * Collects the errors of one body, query or head up to a limit, so that a hostile request cannot cause a huge answer.
 * The only place for the sentences of errors that several rules report.
 */
export class FieldErrors {
  readonly #errors: FieldError[] = []
  readonly #limit: number
  readonly #toPointer: (place: Place | null) => string
  readonly #kind: string
  readonly #hints: Readonly<Record<string, string>>

  constructor(limit: number, { of = 'body', hints = {} }: FieldErrorOptions = {}) {
    this.#limit = limit
    this.#toPointer = { body: toPointer, query: toParameter, headers: toName }[of]
    this.#kind = of === 'query' ? 'query parameter' : 'field'
    this.#hints = hints
  }

  get isEmpty(): boolean {
    return this.#errors.length === 0
  }

  get isFull(): boolean {
    return this.#errors.length >= this.#limit
  }

  get all(): readonly FieldError[] {
    return this.#errors
  }

  add(place: Place | null, code: ErrorCode, detail: string): void {
    if (!this.isFull) this.#errors.push({ pointer: this.#toPointer(place), code, detail })
  }

  addRequired(place: Place): void {
    this.add(place, 'required', `\`${place.key}\` is required.`)
  }

  addRepeated(place: Place): void {
    this.add(place, 'duplicate_field', `\`${shorten(String(place.key))}\` occurs more than once.`)
  }

  addUnknown(place: Place, known: readonly string[]): void {
    const name = String(place.key)
    const detail = `There is no ${this.#kind} \`${shorten(name)}\`.${this.#hint(name, known)}`
    this.add(place, 'unknown_field', detail)
  }

  #hint(name: string, known: readonly string[]): string {
    if (Object.hasOwn(this.#hints, name)) return ` ${this.#hints[name]}`
    const nearest = nearestName(name, known)
    if (nearest !== null) return ` Did you mean \`${nearest}\`?`
    return known.length === 0 ? ' None are allowed here.' : ''
  }
}

/** A JSON pointer (RFC 6901). Keys come from the client, so they are cut to 200 characters and made valid Unicode. */
function toPointer(place: Place | null): string {
  let pointer = ''
  for (let at = place; at !== null; at = at.parent) {
    pointer = `/${shorten(String(at.key)).replaceAll('~', '~0').replaceAll('/', '~1')}${pointer}`
  }
  return pointer
}

function toParameter(place: Place | null): string {
  return `?${toName(place)}`
}

function toName(place: Place | null): string {
  let first = place
  while (first !== null && first.parent !== null) first = first.parent
  return shorten(String(first?.key ?? ''))
}

/** Shortens a text from the client, so that an answer can quote it. */
export function shorten(text: string): string {
  return (text.length > 200 ? `${text.slice(0, 200)}…` : text).toWellFormed()
}
