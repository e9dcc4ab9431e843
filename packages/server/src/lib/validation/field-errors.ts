import type { ErrorCode, FieldError } from '@spoor/contract/errors'
import { nearestName } from './nearest-name.ts'

/** Where a value stands in a body: parent links, so that nothing is printed before an error needs it. */
export interface Place {
  readonly parent: Place | null
  readonly key: string | number
}

export interface FieldErrorOptions {
  /** `query`: the first key of a place is the name of a parameter, which is all that its pointer says. */
  readonly of?: 'body' | 'query'
  /** What to say of unknown fields, by name, in place of the known name that is nearest. */
  readonly hints?: Readonly<Record<string, string>>
}

/**
 * Gathers what is wrong with one body or query, up to a number of errors: a hostile one must not buy a huge answer.
 * The only place that words what several rules find.
 */
export class FieldErrors {
  readonly #errors: FieldError[] = []
  readonly #limit: number
  readonly #toPointer: (place: Place | null) => string
  readonly #kind: string
  readonly #hints: Readonly<Record<string, string>>

  constructor(limit: number, { of = 'body', hints = {} }: FieldErrorOptions = {}) {
    this.#limit = limit
    this.#toPointer = of === 'body' ? toPointer : toParameter
    this.#kind = of === 'body' ? 'field' : 'query parameter'
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
    this.add(place, 'duplicate_field', `\`${shorten(String(place.key))}\` is given more than once.`)
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
    return known.length === 0 ? ' There are none here.' : ''
  }
}

/**
 * A JSON pointer (RFC 6901). Keys are cut at 200 characters and made valid Unicode: they are a client's own and may be
 * anything.
 */
function toPointer(place: Place | null): string {
  let pointer = ''
  for (let at = place; at !== null; at = at.parent) {
    pointer = `/${shorten(String(at.key)).replaceAll('~', '~0').replaceAll('/', '~1')}${pointer}`
  }
  return pointer
}

function toParameter(place: Place | null): string {
  let first = place
  while (first !== null && first.parent !== null) first = first.parent
  return `?${shorten(String(first?.key ?? ''))}`
}

/** A client's text, fit to be quoted in an answer. */
export function shorten(text: string): string {
  return (text.length > 200 ? `${text.slice(0, 200)}…` : text).toWellFormed()
}
