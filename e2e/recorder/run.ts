/**
 * A recorder and the service, killed in turns with requests under way: none lost, none stored twice.
 *
 *     node e2e/recorder/run.ts [--rounds 200]
 *
 * Ends with 1 if anything is missing or doubled.
 */
import { parseArgs } from 'node:util'
import { exitOnSignals } from '../lib/exit-on-signals.ts'
import { freePorts } from '../lib/free-ports.ts'
import { Service } from '../lib/service.ts'
import { killRounds } from './kill-rounds.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } })
const rounds = Number(values.rounds)
exitOnSignals()
const [port] = await freePorts(1)
await using service = await Service.start({ environment: { SPOOR_PORT: String(port) } })
const acknowledged = await killRounds(service, rounds, (round) => console.log(`round ${round + 1} of ${rounds}`))
console.log(`${acknowledged} traces acknowledged: 0 lost, 0 doubled`)
