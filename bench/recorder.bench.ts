/**
 * The caller's time of a step: what the code that records waits for, and how much of it its thread computes, which a
 * busy machine does not change. The service is a stand-in that takes everything.
 *
 *     node bench/recorder.bench.ts
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createRecorder } from '@spoor/sdk'

const STEPS_OF_TRACE = 100
const TRACES = 300
const MESSAGES = [
  { role: 'user', content: 'x'.repeat(500) },
  { role: 'assistant', content: 'y'.repeat(500) },
]

const server = createServer((request, response) => void request.resume().on('end', () => response.end('{}')))
await once(server.listen(0, '127.0.0.1'), 'listening')
const spoor = createRecorder({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'key' })

const times: number[] = []
const computed: number[] = []
const computedUs = () => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
for (let at = 0; at < TRACES; at++) {
  spoor.trace('run', (trace) => {
    const started = performance.now()
    const computedBefore = computedUs()
    for (let step = 0; step < STEPS_OF_TRACE; step++) {
      trace.step(
        'answer',
        { type: 'llm', model: 'm' },
        (one) => void one.messages(MESSAGES).usage({ input: 10, output: 5 }),
      )
    }
    computed.push((computedUs() - computedBefore) / STEPS_OF_TRACE)
    times.push(((performance.now() - started) * 1000) / STEPS_OF_TRACE)
  })
  await new Promise((resolve) => setImmediate(resolve))
}
const { stored } = await spoor.flush()
console.log(`caller's time of a step (at most 30 µs): ${summary(times)}`)
console.log(`of which its thread computes: ${summary(computed)}`)
console.log(`${stored} stored`)
server.close()
server.closeAllConnections()

/** In µs, without the first ones, which run before they are compiled. */
function summary(all: readonly number[]): string {
  const warm = all.slice(TRACES / 10).sort((a, b) => a - b)
  const mean = warm.reduce((sum, one) => sum + one, 0) / warm.length
  const at = (share: number) => (warm[Math.floor(warm.length * share)] ?? 0).toFixed(1)
  return `mean ${mean.toFixed(1)} µs, median ${at(0.5)} µs, p99 ${at(0.99)} µs`
}
