import type { ErrorCode, FieldError } from '@spoor/contract/errors'

/** Where a value stands in a body: parent links, so that nothing is printed before an error needs it. */
export interface Place {
  readonly parent: Place | null
  readonly key: string | number
}

/** Gathers what is wrong with one body, up to a number of errors: a hostile body must not buy a huge answer. */
export class FieldErrors {
  readonly #errors: FieldError[] = []
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
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
    if (!this.isFull) this.#errors.push({ pointer: toPointer(place), code, detail })
  }
}

/** A JSON pointer (RFC 6901). Keys are cut at 200 characters and made valid Unicode: they are a client's own and may be anything. */
function toPointer(place: Place | null): string {
  let pointer = ''
  for (let at = place; at !== null; at = at.parent) {
    pointer = `/${shorten(String(at.key)).replaceAll('~', '~0').replaceAll('/', '~1')}${pointer}`
  }
  return pointer
}

/** A client's text, fit to be quoted in an answer. */
export function shorten(text: string): string {
  return (text.length > 200 ? `${text.slice(0, 200)}…` : text).toWellFormed()
}
