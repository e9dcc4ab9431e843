import type { Compilable, Kysely, RawBuilder } from 'kysely'

/** SQL text as a statement, for what Kysely has no builder for. */
export function raw<Schema, Row>(queries: Kysely<Schema>, text: RawBuilder<Row>): Compilable<Row> {
  return { compile: () => text.compile(queries) }
}
