import type { StoredKey } from '../ports/access/key-store.ts'
import type { Project } from '../ports/access/project-store.ts'

/** As the service answers it over HTTP. */
export function projectJson(project: Project): Record<string, unknown> {
  return { id: project.id, name: project.name, created_at: isoTime(project.createdAt) }
}

export function keyJson(key: StoredKey): Record<string, unknown> {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    expires_at: key.expiresAt === null ? null : isoTime(key.expiresAt),
    last_four: key.lastFour,
    created_at: isoTime(key.createdAt),
    requests_per_second: key.limits.requestsPerSecond,
    bytes_per_second: key.limits.bytesPerSecond,
  }
}

export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
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
