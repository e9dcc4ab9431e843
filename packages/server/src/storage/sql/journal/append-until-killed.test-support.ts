import { writeSync } from 'node:fs'
import { systemClock } from '../../../lib/time/clock.ts'
import { DomainError } from '../../../lib/domain-error.ts'
import { numberedCommit } from '../../../ports/journal/numbered-commit.test-support.ts'
import { openControlStore } from '../open-control-store.ts'

/**
 * Program of the crash tests: appends numbered commits after the last one in the store of a folder and prints each
 * number once it is durable. Runs until it is killed. If the disk fails, it prints `refused <number> <code> <last
 * number in the store>` and ends.
 */
const [dataDir = ''] = process.argv.slice(2)
const { journal } = openControlStore({ dataDir, clock: systemClock, create: true })
for (let version = journal.last().version + 1; ; version++) {
  try {
    journal.append(numberedCommit(version))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    writeSync(1, `refused ${version} ${error.code} ${journal.last().version}\n`)
    break
  }
  writeSync(1, `${version}\n`)
}
