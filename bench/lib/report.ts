import { MachineWatch } from './machine-load.ts'

/** One figure beside its limit. `pass` is null for a figure without a limit. */
export interface ReportRow {
  readonly name: string
  readonly figure: string
  readonly limit: string
  readonly pass: boolean | null
}

/**
 * Prints each figure of a bench as soon as it exists, beside its limit, and then how busy the machine was. run-all.ts
 * also receives them as messages.
 */
export class Report {
  readonly #watch = new MachineWatch()

  constructor(title: string) {
    console.log(`\n${title}`)
  }

  /** A figure without a limit. */
  figure(name: string, figure: string): void {
    this.#row({ name, figure, limit: '', pass: null })
  }

  atLeast(name: string, value: number, limit: number, unit = '', remark = ''): void {
    this.#row({
      name,
      figure: show(value, unit, remark),
      limit: `at least ${amount(limit, unit)}`,
      pass: value >= limit,
    })
  }

  atMost(name: string, value: number, limit: number, unit = '', remark = ''): void {
    this.#row({
      name,
      figure: show(value, unit, remark),
      limit: `at most ${amount(limit, unit)}`,
      pass: value <= limit,
    })
  }

  /** The last line. */
  end(): void {
    console.log(`  ${this.#watch.describe()}`)
  }

  #row(row: ReportRow): void {
    console.log(formatRow(row))
    process.send?.(row)
  }
}

export function formatRow({ name, figure, limit, pass }: ReportRow): string {
  const verdict = pass === null ? '' : pass ? 'PASS' : 'FAIL'
  return `  ${verdict.padEnd(4)}  ${name.padEnd(44)}  ${figure.padEnd(44)}  ${limit}`.trimEnd()
}

function show(value: number, unit: string, remark: string): string {
  return remark === '' ? amount(value, unit) : `${amount(value, unit)} (${remark})`
}

/** Three significant digits; thousands without decimals. */
export function amount(value: number, unit = ''): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const number = value.toLocaleString('en-US', { minimumFractionDigits: 0, maximumFractionDigits: digits })
  return unit === '' ? number : `${number} ${unit}`
}
