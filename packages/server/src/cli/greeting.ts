import { resolve } from 'node:path'

/** The greeting of a service that has just started. */
export interface Greeted {
  /** Where it answers, `http://host:port`. */
  readonly url: string
  readonly projectId: string
  /** Whether this start made the first project. */
  readonly firstStart: boolean
  /** Shown once; null when no key was generated. */
  readonly firstKey: string | null
  /** For the dashboard's first sign-in, once and within an hour; null when no key was generated. */
  readonly signInToken: string | null
  /** When this data was moved to a cluster; not given if it was not. */
  readonly movedAt?: string
  readonly bootstrapKey: 'not_given' | 'added' | 'known' | 'revoked' | 'expired'
}

/** The lines that `spoor serve` prints once it answers; the first is `spoor ready at URL`. */
export function greeting(
  { url, projectId, firstStart, firstKey, signInToken, movedAt, bootstrapKey }: Greeted,
  dataDir: string,
): string[] {
  // The folder that commands use without the flag.
  const folder = resolve(dataDir) === resolve('data') ? '' : ` --data-dir ${quoted(dataDir)}`
  const anotherKey = `npx spoor keys create --name NAME${folder}`
  // A fragment stays in the browser: the token is in no request, log or Referer.
  const lines = [
    `spoor ready at ${url}`,
    `  dashboard: ${url}/${signInToken === null ? '' : `#sign-in=${signInToken}`}`,
  ]
  if (firstStart) lines.push(`  project:  ${projectId}`)
  if (firstKey !== null) {
    lines.push(`  API key:  ${firstKey}`, `  Keep the key: it is shown only once. Another one: ${anotherKey}`)
  }
  if (firstStart) lines.push(`  API documentation: ${url}/docs`)
  if (bootstrapKey === 'revoked' || bootstrapKey === 'expired') {
    lines.push(`  SPOOR_BOOTSTRAP_KEY is ${bootstrapKey}: it opens nothing and will not be enabled again.`)
  }
  if (movedAt !== undefined) {
    lines.push(
      `  WARNING: this data was moved to a cluster on ${movedAt}. This service and the cluster both send webhooks and`,
      '  evaluate monitors, and neither has what is sent to the other. Stop this one unless you go back to it.',
    )
  }
  if (firstKey === null) lines.push(`  another API key: ${anotherKey}`)
  return lines
}

/** For a shell, as far as it is needed. */
function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
