/**
 * Runs every bench in its short form, then prints all figures in one table.
 *
 *     npm run bench [-- --full] [-- --store DIRECTORY]
 *
 * A missed limit is reported but does not fail: a bench is not a test.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { MachineWatch } from './lib/machine-load.ts'
import { formatRow, type ReportRow } from './lib/report.ts'

const BENCHES = [
  'parse',
  'ingest',
  'append',
  'otlp',
  'tail',
  'growth',
  'explore',
  'metric-events',
  'series',
  'monitors',
  'trace-monitors',
  'media',
  'webhooks',
  'clusters',
  'insight',
  'insight-service',
  'cluster-stability',
  'discovery',
  'cluster-upkeep',
  'dashboard',
  'memory',
  'overload',
  'deletion',
  'backup',
  'fairness',
  'cluster',
]

const given = process.argv.slice(2)
if (given.includes('--help') || given.includes('-h')) {
  console.log(`Usage: npm run bench [-- --full] [-- --store DIRECTORY]

Runs every bench in its short form, then prints each figure beside its limit.
  --full             their long forms
  --store DIRECTORY  where the stores of the benches are made, instead of the folder for temporary files

One bench alone: node bench/NAME.bench.ts. Their names: ${BENCHES.join(', ')}.`)
  process.exit(0)
}
const flags = given.includes('--full') ? given.filter((flag) => flag !== '--full') : ['--quick', ...given]
const watch = new MachineWatch()
const summary: string[] = []
for (const name of BENCHES) {
  summary.push('', name)
  // The parse bench has no flags and sends no messages.
  const bench = fork(fileURLToPath(new URL(`./${name}.bench.ts`, import.meta.url)), name === 'parse' ? [] : flags)
  bench.on('message', (row: ReportRow) => summary.push(formatRow(row)))
  const [code] = (await once(bench, 'exit')) as [number | null]
  if (code !== 0) summary.push(`  FAIL  it ended with exit code ${code}`)
  else if (name === 'parse') summary.push('        see above')
}
console.log(`\n${'='.repeat(100)}${summary.join('\n')}\n\n${watch.describe()}`)
