import type { CheckResult } from '../operation/check-result.ts'

export interface PrintOptions {
  /** A line of JSON for each part. */
  readonly json: boolean
  /** The word for a part with problems. */
  readonly failed: string
  print(line: string): void
}

/** Prints each result when it arrives. Returns the number of problems. */
export async function printResults(
  results: AsyncIterable<CheckResult>,
  { json, failed, print }: PrintOptions,
): Promise<number> {
  let found = 0
  for await (const result of results) {
    const { part, detail, problems } = result
    found += problems.length
    if (json) {
      print(JSON.stringify(result))
      continue
    }
    print(`${part.padEnd(14)} ${problems.length === 0 ? 'ok' : failed}${detail === '' ? '' : `  ${detail}`}`)
    for (const problem of problems) print(`  - ${problem}`)
  }
  return found
}

export function countProblems(problems: number): string {
  return problems === 1 ? '1 problem.' : `${problems} problems.`
}
