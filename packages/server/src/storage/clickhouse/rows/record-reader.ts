/** What a field is read from: the column that holds it, or with what its stored value becomes; an object field by field. */
type ReadFrom<Value> =
  | string
  | { readonly column: string; readonly from: (stored: never) => Value }
  | (Value extends object ? { readonly fields: ReadFields<Value> } : never)

export type ReadFields<Record extends object> = { readonly [Field in keyof Record]-?: ReadFrom<Record[Field]> }

type Values = { [field: string]: unknown }

interface ReadColumn {
  readonly column: string
  readonly field: string
  /** Of a field that is an object: which of its own. */
  readonly inner: string | null
  readonly from: ((stored: unknown) => unknown) | null
}

export interface RecordReader<Record> {
  /** For SELECT, in the order that `read` takes. */
  readonly columns: string
  read(row: readonly unknown[]): Record
}

/** How records are made of selected rows. */
export function recordReader<Record extends object>(fields: ReadFields<Record>): RecordReader<Record> {
  const columns = entriesOf(fields).flatMap(([field, of]) => readColumns(field, of))
  const objects = new Set(columns.flatMap(({ field, inner }) => (inner === null ? [] : [field])))
  const shapes = [...objects].map((field) => {
    const own = columns.filter((column) => column.field === field)
    return [field, Object.fromEntries(own.map(({ inner }) => [inner, null]))] as const
  })
  const shape = { ...fields } as Values
  return {
    columns: columns.map(({ column }) => column).join(', '),
    read(row) {
      // A copy has all fields from the start: set one by one they would make a slow object.
      const values = { ...shape }
      for (const [field, own] of shapes) values[field] = { ...own }
      for (let at = 0; at < columns.length; at++) {
        const { field, inner, from } = columns[at] as ReadColumn
        const value = from === null ? row[at] : from(row[at])
        if (inner === null) values[field] = value
        else (values[field] as Values)[inner] = value
      }
      return values as Record
    },
  }
}

function readColumns(field: string, of: ReadFrom<unknown>): readonly ReadColumn[] {
  if (typeof of === 'string') return [{ column: of, field, inner: null, from: null }]
  if ('column' in of) return [{ column: of.column, field, inner: null, from: of.from as (stored: unknown) => unknown }]
  return entriesOf((of as { fields: object }).fields).flatMap(([inner, from]) =>
    readColumns(field, from).map((column) => Object.assign(column, { inner })),
  )
}

function entriesOf(fields: object): [string, ReadFrom<unknown>][] {
  return Object.entries(fields) as [string, ReadFrom<unknown>][]
}

/** A text whose absence is stored as `''`. */
export function textOrNull<Text extends string>(stored: Text | ''): Text | null {
  return stored === '' ? null : stored
}
