import { countViolations } from '../../crash/count-violations.ts'
import { printKillReport } from './print-kill-report.ts'

/** The same, with each kind of violation counted; a string says why there is no report, which is a failure too. */
export function printFaultReport(report: { readonly violations: readonly string[] } | string): void {
  if (typeof report === 'string') throw new Error(report)
  printKillReport(report, 'everything that was acknowledged holds')
  for (const kind of countViolations(report.violations)) console.log(kind)
}
