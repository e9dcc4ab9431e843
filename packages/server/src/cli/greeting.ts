/** What is told of a service that has just started. */
export interface Greeted {
  readonly url: string
  readonly projectId: string
  /** Whether this start made the first project. */
  readonly firstStart: boolean
  /** To be shown once; null when none was made up. */
  readonly firstKey: string | null
  /** Of the dashboard's first sign-in; null when no key was made up. */
  readonly signInToken: string | null
  readonly bootstrapKey: 'not_given' | 'added' | 'known' | 'revoked' | 'expired'
}

/** The lines that `spoor serve` prints once it answers; the first is `spoor ready at URL`. */
export function greeting({ url, projectId, firstStart, firstKey, signInToken, bootstrapKey }: Greeted): string[] {
  // Behind the #, a token stays in the browser: it is in no request, log or Referer.
  const lines = [
    `spoor ready at ${url}`,
    `  dashboard: ${url}/${signInToken === null ? '' : `#sign-in=${signInToken}`}`,
  ]
  if (firstStart) lines.push(`  project:  ${projectId}`)
  if (firstKey !== null) {
    lines.push(
      `  API key:  ${firstKey}`,
      '  Keep the key: it is shown this once. Another one: npx spoor keys create --name NAME',
    )
  }
  if (firstStart) lines.push(`  API documentation: ${url}/docs`)
  if (bootstrapKey === 'revoked' || bootstrapKey === 'expired') {
    lines.push(`  SPOOR_BOOTSTRAP_KEY is ${bootstrapKey}: it opens nothing, and stays so.`)
  }
  if (firstKey === null) lines.push('  another API key: npx spoor keys create --name NAME')
  return lines
}
