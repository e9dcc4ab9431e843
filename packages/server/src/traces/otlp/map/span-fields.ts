import { firstOf, parseJson } from '@spoor/payloads/json'
import type { Attributes, Value } from '../wire/span.ts'

/** An answer names fewer. */
const MOST_WARNINGS = 10

export type JsonObject = Readonly<Record<string, Value>>

/**
 * The attributes of a span while it is mapped. What the mapping has used is marked, and the rest stays on the step
 * under its own name.
 */
export class SpanFields {
  /** What the sender is told of values that were moved aside. */
  readonly warnings: string[] = []

  warn(text: string): void {
    if (this.warnings.length < MOST_WARNINGS) this.warnings.push(text)
  }
  readonly #attributes: Attributes
  readonly #names: readonly string[]
  readonly #used = new Set<string>()
  readonly #kept: [string, Value][] = []

  constructor(attributes: Attributes) {
    this.#attributes = attributes
    this.#names = [...attributes.keys()]
  }

  has(name: string): boolean {
    return this.#attributes.has(name)
  }

  get(name: string): Value | undefined {
    return this.#attributes.get(name)
  }

  /** A text that is not empty, or undefined. */
  text(name: string): string | undefined {
    const value = this.#attributes.get(name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  use(name: string): Value | undefined {
    const value = this.#attributes.get(name)
    if (value !== undefined) this.#used.add(name)
    return value
  }

  /** The first of these attributes that is a text or a number; it is used. */
  useFirstText(names: readonly string[]): string | undefined {
    return this.#useFirst(names, toText)
  }

  /** The first of these attributes that is a count of tokens, as a number or as digits; it is used. */
  useFirstCount(names: readonly string[]): number | undefined {
    return this.#useFirst(names, toCount)
  }

  #useFirst<T>(names: readonly string[], read: (value: Value | undefined) => T | undefined): T | undefined {
    return firstOf(names, (name) => {
      const found = read(this.#attributes.get(name))
      if (found !== undefined) this.#used.add(name)
      return found
    })
  }

  /** The attributes whose names begin with `prefix`, by the rest of their names. */
  below(prefix: string): [string, Value][] {
    const names = this.#names.filter((name) => name.length > prefix.length && name.startsWith(prefix))
    return names.map((name) => [name.slice(prefix.length), this.#attributes.get(name)!])
  }

  /** The same; they are used. */
  useAll(prefix: string): [string, Value][] {
    const found = this.below(prefix)
    for (const [rest] of found) this.#used.add(prefix + rest)
    return found
  }

  hasAny(prefix: string): boolean {
    return this.#names.some((name) => name.startsWith(prefix))
  }

  /** Keeps the part of an attribute that was not used. */
  keep(name: string, value: Value): void {
    this.#kept.push([name, value])
  }

  get rest(): [string, Value][] {
    const unread = this.#names.filter((name) => !this.#used.has(name))
    return unread.map((name): [string, Value] => [name, this.#attributes.get(name)!]).concat(this.#kept)
  }
}

/** A text or a number as text; undefined for anything else and for nothing. */
export function toText(value: Value | undefined): string | undefined {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined
}

/** A whole number of tokens; undefined for anything else. */
export function toCount(value: Value | undefined): number | undefined {
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

/** The value of a text that contains JSON; any other value is itself. */
export function parsed(value: Value | undefined): Value | undefined {
  return parseJson(value) as Value | undefined
}

export function isObject(value: Value | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}
