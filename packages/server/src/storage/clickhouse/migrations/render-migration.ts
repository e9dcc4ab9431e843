import type { TelemetryDialect } from '../engine/telemetry-dialect.ts'

/** `{{name}}` or `{{name argument}}`. */
const MACRO = /\{\{(\w+)(?: ([^{}]+))?\}\}/g
/** A statement ends with a semicolon at the end of a line. */
const STATEMENT_END = /;[ \t]*(?:\n|$)/
const COMMENT_LINES = /^[ \t]*--.*\n?/gm

/** The statements of a migration for one engine, without comments. Throws for an unknown macro. */
export function renderMigration(sql: string, dialect: TelemetryDialect): readonly string[] {
  const macros: Readonly<Record<string, (argument: string) => string>> = {
    on_cluster: () => dialect.onCluster,
    engine: dialect.engine,
    table_settings: () => dialect.tableSettings,
  }
  const rendered = sql.replace(COMMENT_LINES, '').replace(MACRO, (macro, name: string, argument = '') => {
    const render = macros[name]
    if (render === undefined) throw new Error(`unknown macro in a migration: ${macro}`)
    return render(argument as string)
  })
  return rendered
    .split(STATEMENT_END)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
