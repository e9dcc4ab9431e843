/** Default of a field that exists since the first version: every stored array has it. */
export const REQUIRED = Symbol('every stored array has it')

/**
 * The default of each field for arrays that were stored before the field existed; for an object, the defaults of its
 * fields.
 */
export type PackedFields<Record extends object> = {
  readonly [Field in keyof Record]-?: Record[Field] | typeof REQUIRED | PackedRecord<Extract<Record[Field], object>>
}

interface Place {
  readonly field: string
  /** For a field that is an object, the name of one of its fields. */
  readonly inner: string | null
}

type Values = { [field: string]: unknown }

/**
 * Stores a record as a JSON array with one place for each field, in the order of `fields`. New fields MUST be added at
 * the end.
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

  /** Names in the order of their places. Fields of an object are prefixed with its name, as in `tokenUsage.input`. */
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

  /** `rest`: the other fields of the record. */
  fromArray<Rest extends object>(array: readonly unknown[], rest: Rest): Record & Rest {
    // The copy has all fields from the start; adding them one by one would make a slow object.
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
