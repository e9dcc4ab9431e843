import type { Compilable, Kysely } from 'kysely'
import type { Statement } from './sql-database.ts'

/** Stands for a value that is bound later. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * Compiles a statement of Kysely once: building and compiling it takes longer than SQLite takes to run it. That is at
 * its first use, because all of them would be a tenth of the start. `build` gets placeholders, of the members that the
 * first values have; the compiled statement holds them in the order in which their values are bound.
 */
export function compileOnce<Schema, Parameters extends object, Row>(
  queries: Kysely<Schema>,
  build: (queries: Kysely<Schema>, parameters: Parameters) => Compilable<Row>,
): Statement<Parameters, Row> {
  let compiled: Compiled<Parameters> | null = null
  return (values) => {
    compiled ??= compile(queries, build, values)
    const { sql, parameters, names } = compiled
    const bound = parameters.slice()
    for (let index = 0; index < names.length; index++) {
      const name = names[index]
      if (name !== null && name !== undefined) bound[index] = values[name]
    }
    return { sql, parameters: bound }
  }
}

interface Compiled<Parameters> {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Of each parameter the name of its value; null for a constant of the statement. */
  readonly names: readonly (keyof Parameters | null)[]
}

function compile<Schema, Parameters extends object, Row>(
  queries: Kysely<Schema>,
  build: (queries: Kysely<Schema>, parameters: Parameters) => Compilable<Row>,
  values: Parameters,
): Compiled<Parameters> {
  const placeholders = new Proxy({ ...values }, { get: (_, name) => new Placeholder(String(name)) })
  const { sql, parameters } = build(queries, placeholders).compile()
  const names = parameters.map((one) => (one instanceof Placeholder ? (one.name as keyof Parameters) : null))
  return { sql, parameters, names }
}
