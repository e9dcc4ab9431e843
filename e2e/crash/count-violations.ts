/** The number of violations of each kind, with the first of each; losses come first. */
export function countViolations(violations: readonly string[]): readonly string[] {
  const kinds = Map.groupBy(violations, (violation) =>
    violation.replaceAll(/\b(\d+|\w*_?[0-9a-zA-Z]{20,}|(trace|step|event|reason)-\d+)\b/g, '…'),
  )
  const isLoss = (one: string | undefined) => (one?.endsWith('is lost') === true ? 0 : 1)
  return [...kinds.values()]
    .sort((one, other) => isLoss(one[0]) - isLoss(other[0]))
    .map((all) => `${all.length} × ${String(all[0]).slice(0, 200)}`)
}

/** The same as one line. */
export function summarizeViolations(violations: readonly string[]): string {
  const kinds = countViolations(violations)
  if (kinds.length === 0) return 'nothing lost'
  const more = kinds.length > 3 ? `; and ${kinds.length - 3} other kinds` : ''
  return `VIOLATED: ${kinds.slice(0, 3).join('; ')}${more}`
}
