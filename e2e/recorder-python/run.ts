/**
 * The Python recorder with kill -9 of the service and of the agent: nothing acknowledged is lost, nothing stored twice.
 *
 *     node e2e/recorder-python/run.ts [--rounds 200]
 *
 * Ends with 1 if anything is missing or doubled.
 */
import { parseArgs } from 'node:util'
import { exitOnSignals } from '../lib/exit-on-signals.ts'
import { killAndResend, startAtFixedPort } from './kill-and-resend.ts'
import { PythonPackage } from './python-package.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } })
const rounds = Number(values.rounds)
exitOnSignals()
const built = PythonPackage.build()
if (typeof built === 'string') throw new Error(built)
using python = built
await using service = await startAtFixedPort()
await killAndResend(service, python, rounds, (round, kept, repeated) =>
  console.log(`round ${round + 1} of ${rounds}: ${kept} traces acknowledged, ${repeated} flushes repeated`),
)
console.log('0 lost, 0 doubled')
