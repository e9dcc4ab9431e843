/**
 * A recorder while the service is away: its memory every minute, what it spooled, and whether everything arrived once
 * after the service came back.
 *
 *     node e2e/recorder/away/run.ts [--language typescript|python] [--minutes 10] [--rate 1000]
 *
 * Ends with 1 if anything is missing or doubled.
 */
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { startAtFixedPort } from '../../recorder-python/kill-and-resend.ts'
import { PythonPackage } from '../../recorder-python/python-package.ts'
import { walkFeed } from '../../lib/feed.ts'
import { exitOnSignals } from '../../lib/exit-on-signals.ts'
import { RateProcess, STEPS } from './rate-process.ts'

const { values } = parseArgs({
  options: {
    language: { type: 'string', default: 'typescript' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '1000' },
  },
})
const seconds = Number(values.minutes) * 60
exitOnSignals()
const python = values.language === 'python' ? PythonPackage.build() : null
if (typeof python === 'string') throw new Error(python)
await using service = await startAtFixedPort()
const { url, key } = service
await service.stop()
await using recorder = new RateProcess({ url, key, rate: Number(values.rate), seconds, python })
const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)

const traces = recorder.recorded()
const readMemory = async () => {
  for (let minute = 0; minute <= seconds / 60; minute++) {
    await recorder.reaches(minute * 60)
    console.log(`minute ${minute}: ${megabytes(recorder.residentBytes())} MB resident`)
  }
}
await readMemory()
const recorded = await traces
const spool = recorder.spooled()
console.log(
  `${recorded} traces, ${recorded * STEPS} steps; spooled ${megabytes(spool.bytes)} MB in ${spool.files} files`,
)

await service.start()
console.log(`sent: ${await recorder.sends()}`)
console.log(`${megabytes(recorder.residentBytes())} MB resident after that; ${recorder.spooled().files} files are left`)
const found = new Map<string, number>()
for (const { name, step_count: count } of await walkFeed(service.client)) {
  assert.ok(!found.has(name), `${name} is stored twice`)
  found.set(name, count)
}
for (let at = 0; at < recorded; at++) assert.equal(found.get(`run ${at}`), STEPS, `steps of run ${at}`)
assert.equal(found.size, recorded)
console.log('0 lost, 0 doubled')
