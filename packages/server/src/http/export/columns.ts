import type { TSchema } from 'typebox'
import { JsonScanner } from '../../lib/json/json-scan.ts'

/** More than any row nests. */
const DEPTH = 1000

export type ColumnKind = 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'json'

/** A field of a row. Fields of an object that has no others are columns of their own, by names with a dot. */
export interface Column {
  readonly name: string
  readonly kind: ColumnKind
}

interface Shape {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, TSchema>>
}

/** The columns of rows with this schema, in its order. They do not depend on the rows. */
export function columnsOf(row: TSchema, prefix = ''): readonly Column[] {
  return Object.entries((row as Shape).properties ?? {}).flatMap(([name, field]) => {
    const inner = columnsOf(field, `${prefix}${name}.`)
    return inner.length > 0 ? inner : [{ name: prefix + name, kind: kindOf(field) }]
  })
}

function kindOf({ anyOf: nullable, type = [], format, enum: options = [], const: only }: Shape): ColumnKind {
  if (nullable?.[0] !== undefined) return kindOf(nullable[0])
  const types = [type].flat().filter((name) => name !== 'null')
  const [one = typeof (only ?? options[0])] = types
  if (types.length > 1) return 'json'
  if (one === 'string') return format === 'date-time' ? 'time' : 'text'
  return one === 'integer' || one === 'number' || one === 'boolean' ? one : 'json'
}

/** Called with the place of a column and its JSON text in a row. */
type TakeCell = (at: number, json: string) => void

/** Reads the cells of rows (JSON text) that are there and not `null`, in the order of the row. */
export function cellReader(columns: readonly Column[]): (row: Buffer, take: TakeCell) => void {
  const places = new Map(columns.map(({ name }, at) => [name, at]))
  return (row, take) => {
    const scanner = new JsonScanner(row, DEPTH)
    const read = (prefix: string) => {
      if (!scanner.enterObject()) return void scanner.skipValue()
      while (scanner.nextMember()) {
        // Names of our own fields have no escapes.
        const name = prefix + row.toString('latin1', scanner.keyStart + 1, scanner.keyEnd - 1)
        const at = places.get(name)
        if (at === undefined) read(`${name}.`)
        else {
          const start = scanner.position
          scanner.skipValue()
          const json = row.toString('utf8', start, scanner.position)
          if (json !== 'null') take(at, json)
        }
      }
    }
    read('')
  }
}

/** The elements of the list `name` of an answer as JSON text, and its `next_cursor`. Numbers keep all their digits. */
export function readPage(answer: Buffer, name: string): { readonly rows: Buffer[]; readonly cursor: string | null } {
  const rows: Buffer[] = []
  let cursor: string | null = null
  const scanner = new JsonScanner(answer, DEPTH)
  scanner.enterObject()
  while (scanner.nextMember()) {
    const start = scanner.position
    if (scanner.keyIs(name) && scanner.enterArray()) {
      while (scanner.nextElement()) {
        const from = scanner.position
        scanner.skipValue()
        rows.push(answer.subarray(from, scanner.position))
      }
      continue
    }
    const isCursor = scanner.keyIs('next_cursor')
    scanner.skipValue()
    if (isCursor) cursor = JSON.parse(answer.toString('utf8', start, scanner.position)) as string | null
  }
  if (scanner.failure !== null) throw new Error('an answer of the service is no JSON')
  return { rows, cursor }
}
