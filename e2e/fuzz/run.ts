// node e2e/fuzz/run.ts [--cases 12000] [--seed N]
// Sends unusual bodies, lines, queries and headers; each must be refused as documented or stored byte for byte.
import { parseArgs } from 'node:util'
import { runFuzz } from './run-fuzz.ts'

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '12000' }, seed: { type: 'string', default: '1' } },
})
const { violations, ...counts } = await runFuzz({ seed: Number(values.seed), cases: Number(values.cases) })
console.table(counts)
for (const violation of violations) console.error(violation)
console.log(violations.length === 0 ? 'every answer as promised' : `${violations.length} violations`)
process.exitCode = violations.length === 0 ? 0 : 1
