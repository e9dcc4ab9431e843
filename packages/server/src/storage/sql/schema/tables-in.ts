import type { Generated } from 'kysely'

/** The types of columns. The database counts up a column that is NUMBERED. */
interface Types {
  readonly TEXT: string
  readonly INTEGER: number
  readonly REAL: number
  readonly BLOB: Uint8Array
  readonly NUMBERED: Generated<number>
}

/** The rows of the tables that `Sql`, the literal type of a schema, creates. */
export type TablesIn<
  Sql extends string,
  Found = unknown,
> = Sql extends `${string}CREATE TABLE ${infer Name} (\n${infer Columns}\n    )${infer Rest}`
  ? TablesIn<Rest, Found & { readonly [One in Name]: RowOf<Columns> }>
  : Flat<Found>

type RowOf<Lines extends string, Found = unknown> = Lines extends `${infer Line}\n${infer Rest}`
  ? RowOf<Rest, Found & ColumnOf<Line>>
  : Flat<Found & ColumnOf<Lines>>

/** Nothing for comments and constraints. */
type ColumnOf<Line extends string> = Line extends `      ${infer Name} ${infer Rest}`
  ? FirstWord<Rest> extends infer Type extends keyof Types
    ? { readonly [One in Name]: Rest extends `${string}NOT NULL${string}` ? Types[Type] : Types[Type] | null }
    : unknown
  : unknown

type FirstWord<Text extends string> = Text extends `${infer Word} ${string}`
  ? Word
  : Text extends `${infer Word},`
    ? Word
    : Text

type Flat<Found> = { readonly [Name in keyof Found]: Found[Name] }
