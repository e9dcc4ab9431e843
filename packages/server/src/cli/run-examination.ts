import type { CheckResult } from '../operation/check-result.ts'
import { DATA_DIR, JSON_FLAG, type Printer, runParsed } from './command.ts'

interface Examination {
  readonly usage: string
  /**
   * Results as they arrive, for the given folder, or for what is configured when null. Throws OperatorError when there
   * is nothing to examine.
   */
  examine(dataDir: string | null): AsyncIterable<CheckResult>
  /** The word for a part with problems. */
  readonly failed: string
  /** Lines below the results, unless they are JSON. */
  closing(problems: number, dataDir: string | null): readonly string[]
}

const FOUND = 1

/**
 * Runs a command that prints the result of each part when it arrives. Returns the exit code: 0 there are no problems, 1
 * there are some or the command failed, 2 wrong usage.
 */
export async function runExamination(
  args: readonly string[],
  { usage, examine, failed, closing }: Examination,
  printer: Printer,
): Promise<number> {
  let found = 0
  const { print } = printer
  const code = await runParsed({ usage, options: { ...DATA_DIR, ...JSON_FLAG } }, args, printer, async (values) => {
    const dataDir = values['data-dir'] ?? null
    for await (const result of examine(dataDir)) {
      const { part, detail, problems } = result
      found += problems.length
      if (values.json) {
        print(JSON.stringify(result))
        continue
      }
      print(`${part.padEnd(14)} ${problems.length === 0 ? 'ok' : failed}${detail === '' ? '' : `  ${detail}`}`)
      for (const problem of problems) print(`  - ${problem}`)
    }
    if (!values.json) for (const line of closing(found, dataDir)) print(line)
  })
  return code === 0 && found > 0 ? FOUND : code
}

export function countProblems(problems: number): string {
  return problems === 1 ? '1 problem.' : `${problems} problems.`
}
