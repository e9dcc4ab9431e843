import type { Project } from '../ports/access/project-store.ts'
import { toWireTime } from '../wire/to-wire.ts'

/** As the service answers it over HTTP. */
export function projectJson(project: Project): Record<string, unknown> {
  return { id: project.id, name: project.name, created_at: toWireTime(project.createdAt) }
}

/** Columns padded to their widest cell, two blanks between them. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
