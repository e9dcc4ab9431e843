/** Prints what came of killing a service again and again, and ends the process with 1 when something was violated. `holds` is what is true otherwise. */
export function printKillReport(report: { readonly violations: readonly string[] }, holds: string): void {
  const { violations, ...counts } = report
  console.table(counts)
  for (const violation of violations) console.error(violation)
  console.log(violations.length === 0 ? holds : `${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
