import { writeSync } from 'node:fs'
import { CommitLog } from './commit-log.ts'
import { numberedRows } from './commit-log.test-support.ts'

/**
 * Program of the crash test: appends numbered commits to the log of a folder, from the version given, and prints each
 * version once it is durable. Segments are small, and all but the newest versions are released, so that it is killed in
 * the middle of that too.
 */
const [directory = '', firstVersion = '1', kept = '1'] = process.argv.slice(2)
const log = await CommitLog.open(directory, Number(firstVersion), { segmentBytes: 3000 })
for (let version = Number(firstVersion); ; version++) {
  await Promise.all([log.append(version, numberedRows(version)), log.release(version - Number(kept))])
  writeSync(1, `${version}\n`)
}
