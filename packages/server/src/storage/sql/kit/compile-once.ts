import type { Compilable, Kysely } from 'kysely'
import type { Statement } from './sql-database.ts'

/** Stands in a compiled statement for a value that is bound later. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * Compiles a statement of Kysely once: building and compiling it costs more than SQLite takes to answer it. The
 * parameters that `build` gets are placeholders; the compiled statement says in which order their values go.
 */
export function compileOnce<Schema, Parameters extends object, Row>(
  queries: Kysely<Schema>,
  build: (queries: Kysely<Schema>, parameters: Parameters) => Compilable<Row>,
): Statement<Parameters, Row> {
  const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Parameters
  const { sql, parameters } = build(queries, placeholders).compile()
  return (values) => ({
    sql,
    parameters: parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as keyof Parameters] : parameter,
    ),
  })
}
