/** How often each kind of violation occurred, with the first one of it. */
export function countViolations(violations: readonly string[]): readonly string[] {
  const kinds = Map.groupBy(violations, (violation) =>
    violation
      .replaceAll(/\b(trace|step|event|reason)-\d+\b/g, '$1')
      .replaceAll(/\b(\d+|\w*_?[0-9a-zA-Z]{20,})\b/g, '…'),
  )
  return [...kinds.values()].map((all) => `${all.length} × ${String(all[0]).slice(0, 300)}`)
}
