/** Instead of a value that a field is read as from arrays without its place: every stored array has it. */
export const REQUIRED = Symbol('every stored array has it')

/**
 * Of each field what it is read as from an array that was written before there was such a field; of an object its own
 * fields.
 */
export type PackedFields<Record extends object> = {
  readonly [Field in keyof Record]-?: Record[Field] | typeof REQUIRED | PackedRecord<Extract<Record[Field], object>>
}

interface Place {
  readonly field: string
  /** Of a field that is an object: which of its own. */
  readonly inner: string | null
}

type Values = { [field: string]: unknown }

/**
 * Stores a record as a JSON array: one place for each field, in the order in which `fields` names them. New fields go
 * behind the others.
 */
export class PackedRecord<Record extends object> {
  readonly #places: readonly Place[]
  readonly #absent: Values
  readonly #objects: readonly (readonly [field: string, absent: Values])[]

  constructor(fields: PackedFields<Record>) {
    const entries = Object.entries<unknown>(fields)
    this.#absent = { ...fields }
    this.#objects = entries.flatMap(([field, of]) => (of instanceof PackedRecord ? [[field, of.#absent] as const] : []))
    this.#places = entries.flatMap(([field, of]): readonly Place[] =>
      of instanceof PackedRecord ? of.fields.map((inner) => ({ field, inner })) : [{ field, inner: null }],
    )
  }

  /**
   * Names in the order of their places; those of an object's own fields with its name before them, `tokenUsage.input`.
   */
  get fields(): readonly string[] {
    return this.#places.map(({ field, inner }) => (inner === null ? field : `${field}.${inner}`))
  }

  toArray(record: { readonly [Field in keyof Record]: unknown }): unknown[] {
    const values = record as Values
    const array: unknown[] = []
    for (const { field, inner } of this.#places) {
      const value = values[field]
      array.push(inner === null ? value : (value as Values)[inner])
    }
    return array
  }

  /** `rest`: what the record has beside these fields. */
  fromArray<Rest extends object>(array: readonly unknown[], rest: Rest): Record & Rest {
    // A copy has all fields from the start: set one by one they would make a slow object.
    const values: Values = { ...this.#absent, ...rest }
    for (const [field, absent] of this.#objects) values[field] = { ...absent }
    const length = Math.min(array.length, this.#places.length)
    for (let at = 0; at < length; at++) {
      const { field, inner } = this.#places[at] as Place
      if (inner === null) values[field] = array[at]
      else (values[field] as Values)[inner] = array[at]
    }
    return values as Record & Rest
  }
}
