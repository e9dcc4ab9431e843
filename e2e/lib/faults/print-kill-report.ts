/**
 * Prints the result of killing a service repeatedly; exits with 1 if there are violations. `holds` is the statement to
 * print otherwise.
 */
export function printKillReport(report: { readonly violations: readonly string[] }, holds: string): void {
  const { violations, ...counts } = report
  console.table(counts)
  for (const violation of violations) console.error(violation)
  console.log(violations.length === 0 ? holds : `${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
